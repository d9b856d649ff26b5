// Defines `entire status`, which shows what is being recorded.

import { buildCommand } from '@stricli/core'
import { findRepo, type Repo } from '../../git/repo.ts'
import type { Settings } from '../../model/settings.ts'
import { isSetUp, readSettingsFile, readUsableSettings, settingsFiles } from '../../settings/read.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { settingsFor } from '../preconditions.ts'
import { paint } from '../render/text.ts'

interface StatusFlags {
  detailed?: boolean
  json?: boolean
}

export const statusCommand = buildCommand<StatusFlags, [], Cli>({
  async func(flags) {
    const repo = findRepo(this.cwd, this.env)
    if (repo === undefined) return printProblem(this, flags, '✕', 'not a git repository')
    if (!isSetUp(repo.root))
      return printProblem(this, flags, '○', 'not set up (run `entire enable` to get started)')
    if (!flags.json) return printStatus(this, repo, settingsFor(this, repo), flags.detailed === true)
    try {
      const { statusJson } = await import('./json.ts')
      const { settings, problem } = readUsableSettings(repo.root)
      const error = problem?.message
      const facts = await statusJson(this, repo, settings)
      this.process.stdout.write(formatJson({ ...facts, ...given({ error }) }))
    } catch (error) {
      if (!(error instanceof EntireError)) throw error
      printProblem(this, flags, '✕', error.message)
    }
  },
  parameters: {
    flags: {
      detailed: switchFlag('Also show settings files, hooks, and how much is recorded'),
      json: switchFlag('Print JSON'),
    },
  },
  docs: {
    brief: 'Show what is being recorded',
    fullDescription: formatManual({
      text: [
        'Shows whether recording is on and for which agents, which hooks are missing or out of date, where checkpoints are pushed and',
        'how many are not pushed yet, and the open sessions of all work trees. It fetches nothing: what it shows of a remote is what',
        'this clone knows of it.',
      ],
      examples: [
        ['entire status', 'show the most important facts'],
        ['entire status --detailed', 'also show the files behind them'],
        ['entire status --json | jq .active_sessions', 'for scripts; problems are in .error'],
      ],
    }),
  },
})

function printProblem(cli: Cli, flags: StatusFlags, sign: string, problem: string): void {
  if (flags.json)
    cli.process.stdout.write(formatJson({ enabled: false, agents: [], active_sessions: [], error: problem }))
  else cli.out(`${sign} ${problem}`)
}

/** The first line comes at once; the code for the others is loaded after it. */
async function printStatus(cli: Cli, repo: Repo, settings: Settings, isDetailed: boolean): Promise<void> {
  cli.out(settings.enabled ? paint(cli, 'green', describe(settings)) : describe(settings))
  if (isDetailed) for (const line of settingsLines(repo)) cli.out(line)
  if (!settings.enabled) return
  const { printFacts } = await import('./print-facts.ts')
  await printFacts(cli, repo, settings, isDetailed)
}

function settingsLines(repo: Repo): string[] {
  const files = settingsFiles(repo.root).map((file) => {
    const own = describe(readSettingsFile(repo.root, file))
    return `${file === 'project' ? 'Project' : 'Local'}, ${own.charAt(0).toLowerCase()}${own.slice(1)}`
  })
  return ['', ...files, '']
}

function describe(settings: Settings): string {
  return `${settings.enabled ? 'Enabled' : 'Disabled'} (${settings.strategy})`
}
