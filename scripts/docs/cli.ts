// Generates the reference of the command line from the same tree of commands that runs it.
import { type Application, type CommandContext, generateHelpTextForAllCommands } from '@stricli/core'

export function cliReference<T extends CommandContext>(
  app: Application<T>,
  source = 'src/cli/entire.ts',
): string {
  const commands = generateHelpTextForAllCommands(app as unknown as Application<CommandContext>)
  return [
    '# Command line reference',
    '',
    `Generated from \`${source}\` by \`npm run docs\`. The same text is shown by \`${app.config.name} <command> --help\`.`,
    '',
    'Exit codes: 0 success, 1 failure, 2 wrong usage. Results go to standard output, everything else to standard error.',
    ...commands.map(([route, help]) => `\n## ${route}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\``),
    '',
  ].join('\n')
}
