// `entire configure`: what the settings are, and how to change them, by name or from a menu.

import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import type { SettingsFile } from '../../model/settings.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { requireSetUp } from '../preconditions.ts'
import { clean } from '../render/text.ts'
import { formatValue, valueJson, valueLines } from './change.ts'
import { findKey, foreignKeys, listValues, readRaw, settingKeys, settingValue } from './keys.ts'

interface ConfigureFlags {
  list?: boolean
  json?: boolean
  local?: boolean
  project?: boolean
  unset?: boolean
}

export const configureCommand = buildCommand<ConfigureFlags, [string?, string?], Cli>({
  async func(flags, name, value) {
    checkFlags(flags, name, value)
    const repo = requireRepo(this, 'configure')
    requireSetUp(repo)
    const file: SettingsFile | undefined = flags.project ? 'project' : flags.local ? 'local' : undefined
    if (name === undefined) return showAll(this, repo, flags, file)
    const key = findKey(name)
    if (value === undefined && !flags.unset) {
      const found = settingValue(readRaw(repo.root), key, file)
      if (flags.json) this.process.stdout.write(formatJson(valueJson(found)))
      else if (found.value !== null) this.out(formatValue(found.value))
      return
    }
    const { setKey, unsetKey } = await import('./change.ts')
    await (value === undefined ? unsetKey(this, repo, key, file) : setKey(this, repo, key, value, file))
  },
  parameters: {
    flags: {
      list: switchFlag('Print all settings'),
      json: switchFlag('Print JSON'),
      local: switchFlag(
        'Of .entire/settings.local.json (yours alone); changes go there unless --project is given',
      ),
      project: switchFlag('Of .entire/settings.json (committed with the project)'),
      unset: switchFlag('Take the setting out of the file'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Name of a setting, or the end of it where that is clear',
          parse: String,
          placeholder: 'key',
          optional: true,
        },
        { brief: 'Its new value', parse: String, placeholder: 'value', optional: true },
      ],
    },
  },
  docs: {
    brief: 'Show and change the settings of this repository',
    fullDescription: formatManual({
      text: [
        'Without arguments: a menu on a terminal, else the list. With a name: its value. With a value: changes it, and nothing',
        'else in the file. The local file wins over the project’s.',
        '',
        'SETTINGS',
        ...keyLines(),
        '  redaction.pii.custom_patterns.<LABEL>',
        '      With redaction.pii.enabled: a regular expression for what is redacted as this label',
      ],
      examples: [
        ['entire configure', 'choose from a menu'],
        ['entire configure --list', 'what holds, and where it is set'],
        ['entire configure push_sessions false', 'keep checkpoints on this machine'],
        ['entire configure strategy auto-commit --project', 'for everyone who uses the project'],
        ['entire configure checkpoint_remote --unset', 'push checkpoints where you push'],
        ["entire configure redaction.pii.custom_patterns.TICKET 'T-[0-9]+'", 'redact something of your own'],
      ],
    }),
  },
})

function keyLines(): string[] {
  return settingKeys.flatMap((key) => {
    const values =
      key.choices.length > 0 ? key.choices.join(' | ') : key.kind === 'number' ? 'number' : 'text'
    return [`  ${key.name}  (${values}; default: ${formatValue(key.default)})`, `      ${key.meaning}`]
  })
}

function checkFlags(flags: ConfigureFlags, name: string | undefined, value: string | undefined): void {
  const problems: [boolean | undefined, string][] = [
    [flags.local && flags.project, 'cannot specify both --project and --local'],
    [flags.list && name !== undefined, '--list takes no name'],
    [flags.unset && name === undefined, '--unset needs the name of a setting'],
    [flags.unset && value !== undefined, '--unset takes no value'],
  ]
  const found = problems.find(([isProblem]) => isProblem)
  if (found !== undefined) throw new EntireError('bad-usage', found[1])
}

async function showAll(
  cli: Cli,
  repo: Repo,
  flags: ConfigureFlags,
  file: SettingsFile | undefined,
): Promise<void> {
  if (cli.interactive && !flags.list && !flags.json) {
    const { runMenu } = await import('./menu.ts')
    return runMenu(cli, repo, file)
  }
  const raw = readRaw(repo.root)
  const values = listValues(raw, file)
  if (flags.json) return void cli.process.stdout.write(formatJson(values.map(valueJson)))
  for (const line of valueLines(values, cli.size().columns)) cli.out(line)
  const foreign = foreignKeys(raw)
  if (foreign.length > 0)
    cli.note(`\nNot used by this version, and left alone: ${foreign.map(clean).join(', ')}`)
}
