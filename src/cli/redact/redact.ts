// Defines `entire redact`, which prints a text without its secrets, or with --check where they are.

import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { findRepo } from '../../git/repo.ts'
import { defaultSettings } from '../../model/settings.ts'
import { findPlaces } from '../../redact/check.ts'
import { createRedactor, redactTranscript } from '../../redact/redact.ts'
import { EntireError, notFound, requires } from '../../std/errors.ts'
import { findStat, readText } from '../../std/file.ts'
import { formatJson } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { settingsFor } from '../preconditions.ts'
import { clean } from '../render/text.ts'

interface RedactFlags {
  check?: boolean
  json?: boolean
}

export const redactCommand = buildCommand<RedactFlags, [string?], Cli>({
  async func(flags, file) {
    if (flags.json && !flags.check) throw requires('--json', '--check')
    const repo = findRepo(this.cwd, this.env)
    const settings = repo === undefined ? defaultSettings : settingsFor(this, repo)
    const redactor = createRedactor(settings.redaction)
    const text =
      file === undefined || file === '-' ? await Bun.stdin.text() : readText(resolve(this.cwd, file))
    if (text === undefined) throw unreadable(this, file ?? '')
    if (!flags.check) return void this.process.stdout.write(redactTranscript(text, redactor))
    const places = findPlaces(text, redactor)
    if (places.length > 0) this.process.exitCode = 1
    if (flags.json)
      return void this.process.stdout.write(formatJson({ findings: places.map((place) => ({ ...place })) }))
    for (const { rule, line, column } of places) this.out(`${clean(file ?? '-')}:${line}:${column}: ${rule}`)
    this.note(places.length === 0 ? 'No secrets found.' : `${countOf(places.length, 'secret')} found.`)
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          placeholder: 'file',
          brief: 'The text; by default, or with -, standard input',
          parse: String,
          optional: true,
        },
      ],
    },
    flags: {
      check: switchFlag('Print the rule and the place of each secret, and nothing of the text'),
      json: switchFlag('Print the findings as JSON'),
    },
  },
  docs: {
    brief: 'Show what would be redacted from a text',
    fullDescription: formatManual({
      text: [
        'Prints the text as it would be stored in a checkpoint: secrets are replaced by REDACTED. With `--check`, prints instead where',
        'each of them is, as `file:line:column: rule`, and never what it is; the exit code is 1 if there are any. The rules in the',
        'settings of the repository apply.',
      ],
      examples: [
        ['entire redact --check .env', 'which rules find what in a file'],
        ['git diff --staged | entire redact --check', 'before a commit'],
        ['entire redact < build.log > safe.log', 'a copy without secrets'],
      ],
    }),
  },
})

function unreadable({ cwd }: Cli, file: string): EntireError {
  const stat = findStat(resolve(cwd, file))
  if (stat === undefined) return notFound('file', clean(file))
  const kind = stat.isDirectory() ? 'a directory' : 'not a regular file'
  return new EntireError('bad-usage', `${clean(file)} is ${kind}.`, {
    hint: 'Name a file, or pipe the text in: `entire redact --check < file`.',
  })
}
