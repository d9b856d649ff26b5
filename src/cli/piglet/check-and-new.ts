// Defines `piglet ext check` and `piglet ext new`, which check and create extensions.

import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { scaffoldLanguages } from '../../sdk/scaffold/template.ts'
import { cannotCombine, unknownName, useOneOf } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { clean, cleanLines } from '../render/text.ts'
import { kitSource, printScaffold, requireLanguage, writeScaffold } from '../scaffold.ts'
import { findExtension, findPigletPlaces } from './places.ts'

interface CheckFlags {
  fixtures?: string
  only?: readonly string[]
  json?: boolean
  junit?: boolean
}

export const extCheckCommand = buildCommand<CheckFlags, [string], Cli>({
  async func(flags, name) {
    if (flags.json && flags.junit) throw cannotCombine(['--json', '--junit'])
    const { dir } = findExtension(this, findPigletPlaces(this), name)
    const [{ checkExtension, extensionRules }, { isConformant }, { readExtensionFixtures }, report] =
      await Promise.all([
        import('../../sdk/conformance/extension/check-extension.ts'),
        import('../../sdk/conformance/engine.ts'),
        import('../../sdk/conformance/extension/sandbox.ts'),
        import('../../sdk/conformance/report.ts'),
      ])
    const unknown = (flags.only ?? []).filter(
      (rule) => !extensionRules.some(({ id }) => id === rule || id.startsWith(`${rule}/`)),
    )
    if (unknown.length > 0 && flags.fixtures === undefined)
      throw unknownName(
        'rule',
        clean(unknown[0] ?? ''),
        useOneOf([...new Set(extensionRules.map(({ id }) => id.split('/')[0] as string))]),
      )
    const isForPeople = !flags.json && !flags.junit
    const results = await checkExtension(dir, {
      env: this.env,
      ...(flags.fixtures === undefined
        ? {}
        : { fixtures: readExtensionFixtures(resolve(this.cwd, flags.fixtures)) }),
      ...given({ only: flags.only && [...flags.only] }),
      onResult: (result) => {
        if (isForPeople && result.status !== 'skipped')
          for (const line of report.formatResult(result)) this.out(cleanLines(line))
      },
    })
    if (flags.json) this.process.stdout.write(report.formatReportJson(dir, results))
    else if (flags.junit) this.process.stdout.write(report.formatJunit(dir, results))
    else {
      for (const line of report.formatSkipped(results)) this.out(cleanLines(line))
      this.out(`\n${report.formatVerdict(results)}`)
    }
    if (!isConformant(results)) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      fixtures: valueFlag('file', 'Calls of your tools and commands with their expected results, as JSON'),
      only: {
        kind: 'parsed',
        parse: String,
        variadic: ',',
        optional: true,
        placeholder: 'rule',
        brief: 'Rule or group of rules; may be repeated, or separate names with commas',
      },
      json: switchFlag('Print the results as JSON'),
      junit: switchFlag('Print the results as JUnit XML'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Directory of the extension, or its name', parse: String, placeholder: 'extension' },
      ],
    },
  },
  docs: {
    brief: 'Check that an extension speaks the protocol',
    fullDescription: formatManual({
      text: [
        'Checks every rule, each in a separate process and home: the handshake, every message against the schema of the protocol, lines in',
        'pieces, joined, too long and damaged, a slow host, and the shutdown. For each rule that fails, shows what was expected, what',
        'happened, and how to fix it. Calls only the tools and commands in --fixtures. Exit code 1 when a rule fails.',
      ],
      examples: [
        ['piglet ext check .', 'while writing it'],
        ['piglet ext check . --only framing --only end', 'some of the rules'],
        ['piglet ext check . --fixtures fixtures.json --junit > report.xml', 'in continuous integration'],
      ],
    }),
  },
})

interface NewFlags {
  lang?: string
  dir?: string
  json?: boolean
}

export const extNewCommand = buildCommand<NewFlags, [string], Cli>({
  async func(flags, name) {
    const { scaffoldExtension } = await import('../../sdk/scaffold/scaffold-extension.ts')
    const dir = resolve(this.cwd, flags.dir ?? name)
    const sdk = kitSource(this.program)
    const files = scaffoldExtension(name, requireLanguage(scaffoldLanguages, flags.lang), given({ sdk }))
    writeScaffold(files, dir)
    if (flags.json) this.process.stdout.write(formatJson({ dir, files: files.map(({ path }) => path) }))
    else printScaffold(this, files, dir, `piglet ext check ${dir}`)
  },
  parameters: {
    flags: {
      lang: valueFlag('language', 'ts (default), python or sh'),
      dir: valueFlag('dir', 'Where to write it (default: <name>)'),
      json: switchFlag('Print JSON'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the extension', parse: String, placeholder: 'name' }],
    },
  },
  docs: {
    brief: 'Create an extension',
    fullDescription: formatManual({
      text: [
        'Writes an extension with tests that passes `piglet ext check`; the places for your code are marked.',
      ],
      examples: [
        ['piglet ext new notes', 'in TypeScript'],
        ['piglet ext new notes --lang python --dir ~/src/notes', 'in Python, elsewhere'],
      ],
    }),
  },
})
