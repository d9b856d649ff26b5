// Changes a setting and applies the consequences, and formats settings for people and for programs.

import type { Repo } from '../../git/repo.ts'
import type { SettingsFile } from '../../model/settings.ts'
import { readSettings, settingsPaths } from '../../settings/read.ts'
import { type Changes, changeSettings, ensureEntireDir } from '../../settings/write.ts'
import type { Json, JsonObject } from '../../std/json.ts'
import { type Cli, hookProgram } from '../context.ts'
import { clean, tableLines } from '../render/text.ts'
import { planCheckpointRemote, rejectSharedUrl } from '../setup/checkpoint-remote.ts'
import {
  ensureMetadataBranch,
  findInstalledAgents,
  installAgent,
  installGitHooks,
  noteOverridden,
} from '../setup/setup.ts'
import { wrapLine } from '../wrap-help.ts'
import { parseValue, readRaw, type SettingKey, type SettingValue, settingValue } from './setting-keys.ts'

export interface SettingEdit {
  key: SettingKey
  /** Undefined when no flag names one: the local file. */
  file: SettingsFile | undefined
}

export async function setKey(cli: Cli, repo: Repo, { key, file }: SettingEdit, text: string): Promise<void> {
  const remote = key.kind === 'remote' ? await planCheckpointRemote(repo, text) : undefined
  if (remote?.onlyLocal && file === 'project') rejectSharedUrl()
  const changes =
    remote === undefined ? nest(key.path, parseValue(key, text)) : { strategy_options: remote.options }
  const target = file ?? 'local'
  save(repo, target, changes)
  cli.out(
    `${key.name} = ${formatValue(settingValue(readRaw(repo.root), key, target).value)} (${settingsPaths[target]})`,
  )
  if (target === 'project') noteOverridden(cli, repo, changes)
  noteStillRedacted(cli, repo, key, target)
  await applyConsequences(cli, repo, key)
}

export async function unsetKey(cli: Cli, repo: Repo, { key, file }: SettingEdit): Promise<void> {
  const target = file ?? 'local'
  const isSet = settingValue(readRaw(repo.root), key, target).source === target
  if (!isSet) return cli.out(`${key.name} is not set in ${settingsPaths[target]}.`)
  const removal: Changes =
    key.kind === 'remote'
      ? { strategy_options: { checkpoint_remote: undefined, checkpoint_push_remote: undefined } }
      : nest(key.path, undefined)
  save(repo, target, removal)
  const { value, source } = settingValue(readRaw(repo.root), key)
  cli.out(`${key.name} = ${formatValue(value)} (${source === 'default' ? 'default' : settingsPaths[source]})`)
  await applyConsequences(cli, repo, key)
}

function save(repo: Repo, file: SettingsFile, changes: Changes): void {
  ensureEntireDir(repo.root)
  changeSettings(repo.root, file, changes)
}

function nest(path: string[], value: Json | undefined): Changes {
  return path.reduceRight<Changes | Json | undefined>((below, key) => ({ [key]: below }), value) as Changes
}

// The project can require redaction that a local file cannot switch off.
function noteStillRedacted(cli: Cli, repo: Repo, key: SettingKey, file: SettingsFile): void {
  const raw = readRaw(repo.root)
  const [local, project] = [settingValue(raw, key, 'local'), settingValue(raw, key, 'project')]
  if (
    file === 'local' &&
    key.path[0] === 'redaction' &&
    local.value === false &&
    project.value === true &&
    project.source === 'project'
  )
    cli.note(
      `Note: This stays redacted. ${settingsPaths.project} requires it, and a local file can only redact more.`,
    )
}

/** Rewrites installed hooks with a new path, and creates the branch that a new backend needs. */
async function applyConsequences(cli: Cli, repo: Repo, key: SettingKey): Promise<void> {
  if (key.name === 'absolute_git_hook_path') {
    const command = hookProgram(readSettings(repo.root), cli.program)
    for (const agent of await findInstalledAgents(repo))
      await installAgent(cli, repo, agent, { command, force: false, implied: false })
    await installGitHooks(cli, repo, command)
  }
  if (key.name === 'checkpoints.primary.type' && readSettings(repo.root).checkpointsBackend === 'git-branch')
    await ensureMetadataBranch(repo, cli.clock())
}

export function formatValue(value: Json): string {
  if (value === null) return '(none)'
  return clean(typeof value === 'string' ? value : JSON.stringify(value))
}

export function valueJson({ key, value, source }: SettingValue): JsonObject {
  return {
    key: key.name,
    value,
    source,
    default: key.default,
    ...(key.choices.length > 0 ? { choices: [...key.choices] } : {}),
    meaning: key.meaning,
  }
}

/** In a narrow terminal, meanings are below their settings. */
export function valueLines(values: SettingValue[], width: number): string[] {
  const rows = values.map(({ key, value, source }) => [
    key.name,
    formatValue(value),
    source === 'default' ? 'default' : settingsPaths[source].replace('.entire/', ''),
  ])
  const meanings = values.map(({ key }) => key.meaning)
  const wide = tableLines([
    ['KEY', 'VALUE', 'FROM', 'MEANING'],
    ...rows.map((row, at) => [...row, meanings[at] ?? '']),
  ])
  if (wide.every((line) => Bun.stringWidth(line) <= width)) return wide
  const [head = '', ...narrow] = tableLines([['KEY', 'VALUE', 'FROM'], ...rows], { width })
  return [head, ...narrow.flatMap((line, at) => [line, ...wrapLine(`    ${meanings[at]}`, width)])]
}
