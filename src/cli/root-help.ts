// Writes the help of `entire` itself from the list of commands, without loading any command.

import { commandList, commandNames } from './command-list.ts'
import { formatManual } from './command-parts.ts'
import { listCommandPlugins } from './command-plugins.ts'
import type { Cli } from './context.ts'
import { helpBriefs } from './parser-text.ts'
import { clean, paint, tableLines } from './render/text.ts'
import { helpWidth, wrapHelp } from './wrap-help.ts'

const manual = formatManual({
  text: [
    'entire records what coding agents do in a git repository: prompts, transcripts and snapshots of the files,',
    'linked to your commits. Nothing leaves the machine except to the git remote you push to.',
    '',
    'Exit codes: 0 success, 1 failure, 2 wrong usage.',
    'Environment: NO_COLOR=1 plain output, ACCESSIBLE=1 plain prompts, PAGER, ENTIRE_LOG_LEVEL=debug detailed log.',
    'A command `x` that is not built in runs the program `entire-x` on the PATH.',
  ],
  examples: [
    ['entire enable', 'set up this repository'],
    ['entire status', 'see what is being recorded'],
    ['entire explain', 'list the checkpoints of this branch'],
    ['entire rewind', 'go back to an earlier point'],
    ['entire help enable', 'read the help of a command'],
  ],
})

export function rootHelp(cli: Cli): string {
  const head = (title: string) => paint(cli, 'bold', title)
  const commands = commandNames.map((name) => [`  ${name}`, commandList[name].brief])
  const plugins = listCommandPlugins(cli).map(({ name, path }) => [`  ${clean(name)}`, clean(path)])
  const lines = [
    head('USAGE'),
    '  entire <command> [<flag>...]',
    '  entire <command> --help',
    '  entire --version',
    '',
    manual,
    '',
    head('FLAGS'),
    `  -h --help     ${helpBriefs.help}`,
    `     --version  ${helpBriefs.version}`,
    '',
    head('COMMANDS'),
    ...tableLines(commands),
    ...(plugins.length === 0 ? [] : ['', head('COMMANDS FROM THE PATH'), ...tableLines(plugins)]),
  ]
  return wrapHelp(`${lines.join('\n')}\n`, helpWidth(cli))
}
