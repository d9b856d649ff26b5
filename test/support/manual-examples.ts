// Finds the examples in manuals, for tests that run them.
import { generateHelpTextForAllCommands } from '@stricli/core'
import type { Cli } from '../../src/cli/context.ts'
import { buildCli } from '../../src/cli/entire.ts'
import { rootHelp } from '../../src/cli/root-help.ts'

/** The words of a shell line that belong to `entire`, without pipe, redirection and quotes. */
export function wordsOf(line: string, program = 'entire'): string[] | undefined {
  const words = line.match(/(?:'[^']*'|[^\s'])+/g) ?? []
  const start = words.findIndex((word) => word.replace(/^<\(/, '') === program)
  const rest = words.slice(start + 1).map((word) => word.replace(/\)$/, '').replace(/'/g, ''))
  const end = rest.findIndex((word) => ['|', '>', '<'].includes(word))
  return start === -1 ? undefined : rest.slice(0, end === -1 ? undefined : end)
}

export const manuals: (readonly [string, string])[] = [
  ...generateHelpTextForAllCommands(
    (await buildCli()) as unknown as Parameters<typeof generateHelpTextForAllCommands>[0],
  ),
  [
    'entire',
    rootHelp({
      env: {},
      cwd: '/',
      process: { stdout: {}, env: {} },
      size: () => ({ columns: 80, rows: 24 }),
    } as unknown as Cli),
  ],
]

export const examples = manuals.flatMap(([command, help]) =>
  examplesIn(help).map((line) => [command, line] as const),
)

/** The lines of a manual that can be typed. */
export function examplesIn(help: string): string[] {
  const part = /^EXAMPLES\n((?: {2}.+\n)+)/m.exec(help.replace(/\x1b\[\d+m/g, ''))?.[1] ?? ''
  // The meaning of a long example stands below it.
  const lines = part.split('\n').filter((line) => line !== '' && !/^ *# /.test(line))
  return lines.map((line) => line.trim().replace(/ +# .*$/, ''))
}
