// Defines `entire agent check`, `new` and `try`, which check, create and play plugins.

import { basename, join, resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { agentLanguages } from '../../sdk/scaffold/template.ts'
import { cannotCombine, EntireError, notFound } from '../../std/errors.ts'
import { isExecutable } from '../../std/program-search.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { clean, cleanLines } from '../render/text.ts'
import { printScaffold, requireLanguage, writeScaffold } from '../scaffold.ts'
import type { TryFlags } from './try-plugin.ts'

interface CheckFlags {
  fixtures?: string
  json?: boolean
  junit?: boolean
}

export const checkPluginCommand = buildCommand<CheckFlags, [string], Cli>({
  async func(flags, executable) {
    if (flags.json && flags.junit) throw cannotCombine(['--json', '--junit'])
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
    else {
      for (const line of report.formatSkipped(results)) this.out(cleanLines(line))
      this.out(`\n${report.formatVerdict(results)}`)
    }
    await noteNameTaken(this, path)
    if (!isConformant(results)) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      fixtures: valueFlag('file', 'JSON file with samples of your agent and their meaning'),
      json: switchFlag('Print the results as JSON'),
      junit: switchFlag('Print the results as JUnit XML'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Path of the plugin, or the name of a plugin on the PATH',
          parse: String,
          placeholder: 'executable',
        },
      ],
    },
  },
  docs: {
    brief: 'Check that a plugin follows the external agent protocol',
    fullDescription: formatManual({
      text: [
        'Tries every rule of the protocol on the plugin, each in an empty repository with its own home directory. For each rule that',
        'fails, prints what was expected, what the plugin answered and how to fix it. Exit code 1 when a rule fails.',
      ],
      examples: [
        ['entire agent check ./entire-agent-mine', 'while you write it'],
        [
          'entire agent check mine --fixtures fixtures.json --junit > report.xml',
          'in continuous integration',
        ],
      ],
    }),
  },
})

async function noteNameTaken(cli: Cli, path: string): Promise<void> {
  const { findAgent } = await import('../../agents/all.ts')
  const known = findAgent(basename(path).replace(/^entire-agent-/, ''))
  if (known !== undefined && known.executable === undefined)
    cli.note(
      `Note: This plugin would not be used, because ${known.name} is the name of the built-in ${known.type}.`,
    )
}

function findExecutable(cli: Cli, nameOrPath: string): string {
  const path = resolve(cli.cwd, nameOrPath)
  if (isExecutable(path)) return path
  const onPath = nameOrPath.includes('/')
    ? null
    : Bun.which(`entire-agent-${nameOrPath.replace(/^entire-agent-/, '')}`, { PATH: cli.env.PATH ?? '' })
  if (onPath !== null) return onPath
  throw notFound(
    'executable',
    clean(nameOrPath),
    'Give the path of a file that is executable (chmod +x), or the name of a plugin on the PATH.',
  )
}

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
        `A plugin called ${name} would not be used, because ${name} is the name of the built-in ${known.type}.`,
        {
          hint: `Run \`entire enable --agent ${name}\` to record ${known.type}.`,
        },
      )
    const dir = resolve(this.cwd, flags.dir ?? `entire-agent-${name}`)
    const files = scaffoldAgent(name, requireLanguage(agentLanguages, flags.lang))
    writeScaffold(files, dir)
    printScaffold(this, files, dir, `entire agent check ${join(dir, `entire-agent-${name}`)}`)
  },
  parameters: {
    flags: {
      lang: valueFlag('language', 'Language: ts (default), python, go or sh'),
      dir: valueFlag('dir', 'Directory to write to (default: entire-agent-<name>)'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the agent', parse: String, placeholder: 'name' }],
    },
  },
  docs: {
    brief: 'Create a plugin for an agent',
    fullDescription: formatManual({
      text: [
        'Writes a working plugin with tests, which passes `entire agent check`. Comments mark the places to adapt to your agent.',
      ],
      examples: [
        ['entire agent new mine', 'in TypeScript'],
        ['entire agent new mine --lang go', 'in Go, with the standard library only'],
        ['entire agent new mine --lang python --dir ~/src/mine', 'in Python, in another directory'],
      ],
    }),
  },
})

export const tryPluginCommand = buildCommand<TryFlags, [string], Cli>({
  async func(flags, place) {
    await (await import('./try-plugin.ts')).tryPlugin(this, place, flags)
  },
  parameters: {
    flags: {
      fixtures: valueFlag('file', 'Samples of your agent (default: fixtures.json beside the plugin)'),
      json: switchFlag('Print what was played, and the checkpoint, as JSON'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Directory of the plugin, or its path', parse: String, placeholder: 'dir' }],
    },
  },
  docs: {
    brief: 'Play the samples of a plugin, and show the checkpoint that results',
    fullDescription: formatManual({
      text: [
        'Enables the plugin in a temporary repository with its own home directory, and runs its hooks with the payloads in the',
        'fixtures. At the end of each turn the next transcript is in place, and the files it names are changed. Then everything',
        'is committed, and the checkpoint of the commit is shown as `entire explain` shows it.',
      ],
      examples: [
        ['entire agent try .', 'while you write it'],
        ['entire agent try ./entire-agent-mine --fixtures real.json', 'with other samples'],
      ],
    }),
  },
})
