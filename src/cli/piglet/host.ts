// Runs extensions during a command: finds, starts and, whatever happens, stops them.

import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { discoverExtensions } from '../../extensions/discover.ts'
import { WireRecorder, type WireTap } from '../../extensions/flight-recorder/recording.ts'
import { countTraffic, publishBoard } from '../../extensions/status-board.ts'
import type { PigletOptions } from '../../piglet/options.ts'
import { openPiglet, type Piglet } from '../../piglet/piglet.ts'
import type { AnswerQuestion, View, ViewPart } from '../../piglet/view.ts'
import { EntireError } from '../../std/errors.ts'
import { fileLog } from '../../std/log.ts'
import { choose } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean, cleanLines } from '../render/text.ts'
import { listenForStop } from '../signals.ts'
import { findExtension, findPigletPlaces, logFileOf } from './places.ts'

export interface HostOptions {
  /** Run only these extensions, by name or directory. */
  ext?: readonly string[] | undefined
  /** Record all messages in this file. */
  record?: string | undefined
  /** Print nothing while running. */
  quiet?: boolean | undefined
  watch?: boolean
}

export const extFlag = {
  kind: 'parsed',
  parse: String,
  variadic: ',',
  optional: true,
  placeholder: 'extension',
  brief: 'Only this extension, by name or directory; may be repeated, or separate names with commas',
} as const

export async function withHost<Value>(
  cli: Cli,
  options: HostOptions,
  work: (piglet: Piglet, signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { configDir } = findPigletPlaces(cli)
  const wanted = chooseExtensions(cli, options.ext)
  const traffic = countTraffic()
  using recording = openRecording(cli, options.record)
  const interrupted = new AbortController()
  using _stop = listenForStop(() => interrupted.abort(new EntireError('agent-failed', 'Interrupted.')))
  const dialogs = answerAtTerminal(cli)
  const pigletOptions: PigletOptions = {
    cwd: cli.cwd,
    configDir,
    env: cli.env,
    clock: cli.clock,
    log: fileLog(logFileOf(configDir), 'debug').write,
    places: wanted.places,
    tap: (...message) => {
      traffic.tap(...message)
      recording.tap?.(...message)
    },
    ...(dialogs && !options.quiet ? { dialogs } : {}),
    ...(options.quiet ? {} : { onChange: printChanges(cli) }),
    ...(options.watch ? { watch: true } : {}),
  }
  const piglet = openPiglet(pigletOptions)
  try {
    const { problems } = await piglet.start()
    for (const problem of problems) cli.note(`Note: ${clean(problem)}`)
    for (const name of wanted.names) requireStarted(piglet, name)
    const board = publishBoard(configDir, () => traffic.board(piglet.host, cli.cwd, cli.clock()))
    try {
      return await work(piglet, interrupted.signal)
    } finally {
      board.close()
    }
  } finally {
    await piglet.stop()
  }
}

/** All enabled extensions, unless some are named. */
function chooseExtensions(cli: Cli, names: readonly string[] | undefined) {
  if (names === undefined || names.length === 0) return { names: [], places: {} }
  const places = findPigletPlaces(cli)
  const chosen = names.map((name) => findExtension(cli, places, name))
  const chosenNames = chosen.map(({ name }) => name)
  const others = discoverExtensions(places).extensions.filter(({ name }) => !chosenNames.includes(name))
  return {
    names: chosenNames,
    places: { also: chosen.map(({ dir }) => dir), disabled: others.map(({ name }) => name) },
  }
}

function requireStarted({ host }: Piglet, name: string): void {
  const { status } = host.list().find(({ manifest }) => manifest.name === name) ?? {}
  if (host.find(name)) return
  throw new EntireError('agent-failed', `${name} is not running: ${status?.reason ?? 'it was not found'}`, {
    hint: `Run \`piglet ext check ${name}\`, or \`piglet ext logs ${name}\`.`,
  })
}

/** Readable only by the user, because it contains conversations. */
function openRecording(cli: Cli, file: string | undefined): { tap?: WireTap } & Disposable {
  if (file === undefined) return { [Symbol.dispose]() {} }
  const fd = openSync(resolve(cli.cwd, file), 'w', 0o600)
  return {
    tap: new WireRecorder({ write: (text) => void writeSync(fd, text), clock: cli.clock }).tap,
    [Symbol.dispose]: () => closeSync(fd),
  }
}

/** Asks the user the questions of extensions. Without a terminal they are dismissed. */
function answerAtTerminal(cli: Cli): AnswerQuestion | undefined {
  if (!cli.interactive) return undefined
  return async (question) => {
    const [message, choices] =
      question.kind === 'pick'
        ? [
            question.title,
            question.items.map(({ id, label, desc }) => ({
              value: id,
              label: desc ? `${label}: ${desc}` : label,
            })),
          ]
        : [question.prompt, question.choices.map((choice) => ({ value: choice, label: choice }))]
    const from = question.extension === '' ? '' : `[${clean(question.extension)}] `
    const shown = choices.map(({ value, label }) => ({ value, label: clean(label) }))
    return await choose(
      cli,
      { message: `${from}${clean(message)}`, noTerminalHint: 'Run the command on a terminal.' },
      shown,
    )
  }
}

/**
 * Prints what extensions show: messages and overlays to standard output, everything else to standard error.
 */
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
  inputText: (cli, { inputText }) => cli.note(`Input: ${cleanLines(inputText)}`),
}

function printChanges(cli: Cli): (part: ViewPart, view: Readonly<View>) => void {
  return (part, view) => printer[part]?.(cli, view)
}
