// What extensions show, on a terminal without windows: messages are the answer, everything else stands beside it.
import type { View, ViewPart } from '../../extensions/headless/ui/view.ts'
import type { Cli } from '../context.ts'
import { clean, cleanLines } from '../render/text.ts'

type Printer = { [Part in ViewPart]?: (cli: Cli, view: Readonly<View>) => void }

const printer: Printer = {
  messages: (cli, { messages }) => cli.out(cleanLines(messages.at(-1)?.text ?? '')),
  notifications: (cli, { notifications }) => {
    const last = notifications.at(-1)
    if (last)
      cli.note(
        `${last.level === 'info' ? '' : `${last.level}: `}${last.extension === '' ? '' : `[${clean(last.extension)}] `}${cleanLines(last.message)}`,
      )
  },
  widgets: (cli, { widgets }) => {
    const last = widgets.at(-1)
    if (last) cli.note(`[${clean(last.extension)}] ${cleanLines(last.content)}`)
  },
  overlays: (cli, { overlays }) => {
    const last = overlays.at(-1)
    if (last) cli.out(`${last.title === '' ? '' : `${clean(last.title)}\n`}${cleanLines(last.content)}`)
  },
  title: (cli, { title }) => cli.note(`Title: ${clean(title)}`),
  inputText: (cli, { inputText }) => cli.note(`Put where you would type: ${cleanLines(inputText)}`),
}

export function printChanges(cli: Cli): (part: ViewPart, view: Readonly<View>) => void {
  return (part, view) => printer[part]?.(cli, view)
}
