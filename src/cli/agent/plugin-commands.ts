// `entire agent check`: tries every rule of the external agent protocol on an executable.

import { basename, join, resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { EntireError } from '../../std/errors.ts'
import { isExecutable } from '../../std/program-search.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { clean, cleanLines } from '../render/text.ts'
import { kitSource, printScaffold, requireLanguage, writeScaffold } from '../scaffold.ts'

interface CheckFlags {
  fixtures?: string
  json?: boolean
  junit?: boolean
}

export const checkPluginCommand = buildCommand<CheckFlags, [string], Cli>({
  async func(flags, executable) {
    if (flags.json && flags.junit) throw new EntireError('bad-usage', 'Use either --json or --junit.')
    const path = findExecutable(this, executable)
    const [{ checkAgent }, { isConformant }, { readAgentFixtures }, report] = await Promise.all([
      import('../../sdk/conformance/agent/check-agent.ts'),
      import('../../sdk/conformance/engine.ts'),
      import('../../sdk/conformance/agent/fixtures.ts'),
      import('../../sdk/conformance/report.ts'),
    ])
    const isForPeople = !flags.json && !flags.junit
    const results = await checkAgent(path, {
      env: this.env,
      ...(flags.fixtures === undefined
        ? {}
        : { fixtures: readAgentFixtures(resolve(this.cwd, flags.fixtures)) }),
      onResult: (result) => {
        if (isForPeople && result.status !== 'skipped')
          for (const line of report.formatResult(result)) this.out(cleanLines(line))
      },
    })
    if (flags.json) this.process.stdout.write(report.formatReportJson(path, results))
    else if (flags.junit) this.process.stdout.write(report.formatJunit(path, results))
    else this.out(`\n${report.formatVerdict(results)}`)
    await noteTaken(this, path)
    if (!isConformant(results)) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      fixtures: valueFlag('file', 'Samples of your agent and what they mean, as JSON'),
      json: switchFlag('Print the results as JSON'),
      junit: switchFlag('Print the results as JUnit XML'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Path of the plugin, or the name of one on the PATH',
          parse: String,
          placeholder: 'executable',
        },
      ],
    },
  },
  docs: {
    brief: 'Check that a plugin speaks the external agent protocol',
    fullDescription: formatManual({
      text: [
        'Tries every rule on the plugin, each in an empty repository with a home of its own, and says for each that fails what was',
        'expected, what came, and how to mend it. Exit code 1 when a rule fails.',
      ],
      examples: [
        ['entire agent check ./entire-agent-mine', 'while writing it'],
        [
          'entire agent check mine --fixtures fixtures.json --junit > report.xml',
          'in continuous integration',
        ],
      ],
    }),
  },
})

async function noteTaken(cli: Cli, path: string): Promise<void> {
  const { findAgent } = await import('../../agents/all.ts')
  const known = findAgent(basename(path).replace(/^entire-agent-/, ''))
  if (known !== undefined && known.executable === undefined)
    cli.note(`This plugin would not be used: ${known.type} is known already by the name ${known.name}.`)
}

function findExecutable(cli: Cli, given: string): string {
  const path = resolve(cli.cwd, given)
  if (isExecutable(path)) return path
  const named = given.includes('/')
    ? null
    : Bun.which(`entire-agent-${given.replace(/^entire-agent-/, '')}`, { PATH: cli.env.PATH ?? '' })
  if (named !== null) return named
  throw new EntireError('not-found', `${clean(given)} is no program that can be run.`, {
    hint: 'Name the file, make sure that it may be executed (chmod +x), or name a plugin on the PATH.',
  })
}

// `entire agent new`: the files of a plugin that works, to begin with.

interface NewFlags {
  lang?: string
  dir?: string
}

export const newPluginCommand = buildCommand<NewFlags, [string], Cli>({
  async func(flags, name) {
    const [{ scaffoldAgent }, { findAgent }] = await Promise.all([
      import('../../sdk/scaffold/scaffold-agent.ts'),
      import('../../agents/all.ts'),
    ])
    const known = findAgent(name)
    if (known !== undefined && known.executable === undefined)
      throw new EntireError(
        'bad-usage',
        `${known.type} is known already: a plugin called ${name} would not be used.`,
        {
          hint: `\`entire enable --agent ${name}\` records it.`,
        },
      )
    const dir = resolve(this.cwd, flags.dir ?? `entire-agent-${name}`)
    const sdk = kitSource(this.program)
    const files = scaffoldAgent(name, requireLanguage(flags.lang), sdk === undefined ? {} : { sdk })
    writeScaffold(files, dir)
    printScaffold(this, files, dir, `entire agent check ${join(dir, `entire-agent-${name}`)}`)
  },
  parameters: {
    flags: {
      lang: valueFlag('language', 'ts (default), python or sh'),
      dir: valueFlag('dir', 'Where to write it; default: entire-agent-<name>'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the agent', parse: String, placeholder: 'name' }],
    },
  },
  docs: {
    brief: 'Begin a plugin for an agent that is not known yet',
    fullDescription: formatManual({
      text: [
        'Writes a plugin that passes `entire agent check` as it is, with tests; the places for your agent are marked in it.',
      ],
      examples: [
        ['entire agent new mine', 'in TypeScript'],
        ['entire agent new mine --lang python --dir ~/src/mine', 'in Python, elsewhere'],
      ],
    }),
  },
})
