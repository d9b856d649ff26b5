// Defines `entire configure`, which shows the settings and changes them, by name or from a menu.

import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import type { SettingsFile } from '../../model/settings.ts'
import { cannotCombine, requires } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { requireSetUp } from '../preconditions.ts'
import { clean } from '../render/text.ts'
import { formatValue, valueJson, valueLines } from './change.ts'
import {
  findKey,
  foreignKeys,
  listValues,
  patternMeaning,
  patternPrefix,
  readRaw,
  settingKeys,
  settingValue,
} from './setting-keys.ts'

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
    const edit = { key, file }
    await (value === undefined ? unsetKey(this, repo, edit) : setKey(this, repo, edit, value))
  },
  parameters: {
    flags: {
      list: switchFlag('Print all settings'),
      json: switchFlag('Print JSON'),
      local: switchFlag('Use .entire/settings.local.json (for you alone); the default for changes'),
      project: switchFlag('Use .entire/settings.json (committed with the project)'),
      unset: switchFlag('Remove the setting from the file'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Name of a setting, or the end of the name if only one setting has it',
          parse: String,
          placeholder: 'key',
          optional: true,
        },
        { brief: 'New value', parse: String, placeholder: 'value', optional: true },
      ],
    },
  },
  docs: {
    brief: 'Show and change the settings of this repository',
    fullDescription: formatManual({
      text: [
        'Without arguments, shows a menu on a terminal, and the list of settings elsewhere. With a key, prints its value. With a',
        'key and a value, changes the setting and nothing else in the file. The local file overrides the file of the project.',
        '',
        'SETTINGS',
        ...keyLines(),
        `  ${patternPrefix}<LABEL>`,
        `      ${patternMeaning}`,
      ],
      examples: [
        ['entire configure', 'choose from a menu'],
        ['entire configure --list', 'show all values, and where they are set'],
        ['entire configure push_sessions false', 'keep checkpoints on this machine'],
        ['entire configure strategy auto-commit --project', 'for everyone who uses the project'],
        ['entire configure checkpoint_remote --unset', 'push checkpoints where you push branches'],
        ["entire configure redaction.pii.custom_patterns.TICKET 'T-[0-9]+'", 'add a redaction rule'],
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
  if (flags.local && flags.project) throw cannotCombine(['--project', '--local'])
  if (flags.list && name !== undefined) throw cannotCombine(['--list', 'the name of a setting'])
  if (flags.unset && name === undefined) throw requires('--unset', 'the name of a setting')
  if (flags.unset && value !== undefined) throw cannotCombine(['--unset', 'a value'])
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
  if (foreign.length > 0) cli.note(`\nNot used by this version: ${foreign.map(clean).join(', ')}`)
}
