// Shows the menu of `entire configure`: changes one setting after the other until the person is done.

import type { Repo } from '../../git/repo.ts'
import type { SettingsFile } from '../../model/settings.ts'
import { readSettings, settingsPaths } from '../../settings/read.ts'
import { EntireError } from '../../std/errors.ts'
import { askText, type Choice, choose } from '../ask.ts'
import { formatError } from '../command-line.ts'
import { type Cli, hookProgram } from '../context.ts'
import { askForAgents } from '../setup/choose-agents.ts'
import { findInstalledAgents, installAgent, uninstallAgent } from '../setup/setup.ts'
import { formatValue, setKey, unsetKey } from './change.ts'
import { listValues, patternKey, patternPrefix, readRaw, type SettingKey } from './setting-keys.ts'

const noTerminalHint = 'Use the command line: `entire configure <key> <value>`.'
const [done, agents, pattern, unset] = ['done', 'agents', 'new pattern', 'unset']

export async function runMenu(cli: Cli, repo: Repo, file: SettingsFile | undefined): Promise<void> {
  const detail = `Changes go to ${settingsPaths[file ?? 'local']}.`
  for (;;) {
    const chosen = await choose(
      cli,
      { message: 'What do you want to change?', detail, noTerminalHint },
      await menuChoices(repo),
    )
    if (chosen === undefined || chosen === done) return
    try {
      await takeChoice(cli, repo, chosen, file)
    } catch (error) {
      if (!(error instanceof EntireError)) throw error
      cli.note(formatError(error, 'entire'))
    }
  }
}

async function menuChoices(repo: Repo): Promise<Choice[]> {
  const installed = await findInstalledAgents(repo)
  const values = listValues(readRaw(repo.root))
  return [
    { value: agents, label: `agents: ${installed.map((agent) => agent.type).join(', ') || '(none)'}` },
    ...values.map(({ key, value }) => ({ value: key.name, label: `${key.name}: ${formatValue(value)}` })),
    { value: pattern, label: 'add a redaction rule' },
    { value: done, label: 'done' },
  ]
}

async function takeChoice(
  cli: Cli,
  repo: Repo,
  chosen: string,
  file: SettingsFile | undefined,
): Promise<void> {
  if (chosen === agents) return changeAgents(cli, repo)
  if (chosen === pattern) {
    const label = await askText(cli, {
      message: 'What is the label of the rule?',
      detail: 'It replaces the redacted text, for example TICKET.',
      noTerminalHint,
    })
    return label === undefined ? undefined : askForText(cli, repo, patternKey(label), file)
  }
  const key = listValues(readRaw(repo.root)).find((value) => value.key.name === chosen)?.key as SettingKey
  if (key.choices.length === 0) return askForText(cli, repo, key, file)
  const choices = [
    ...key.choices.map((value) => ({ value, label: value })),
    { value: unset, label: `the default (${formatValue(key.default)})` },
  ]
  const answer = await choose(cli, { message: key.name, detail: key.meaning, noTerminalHint }, choices)
  if (answer === unset) await unsetKey(cli, repo, { key, file })
  else if (answer !== undefined) await setKey(cli, repo, { key, file }, answer)
}

async function askForText(
  cli: Cli,
  repo: Repo,
  key: SettingKey,
  file: SettingsFile | undefined,
): Promise<void> {
  const example = key.name.startsWith(patternPrefix) ? 'for example T-[0-9]+' : 'or `none`'
  const answer = await askText(cli, {
    message: key.name,
    detail: `${key.meaning} (${example})`,
    noTerminalHint,
  })
  if (answer === undefined) return
  const edit = { key, file }
  await (answer === 'none' ? unsetKey(cli, repo, edit) : setKey(cli, repo, edit, answer))
}

async function changeAgents(cli: Cli, repo: Repo): Promise<void> {
  const installed = await findInstalledAgents(repo)
  const chosen = await askForAgents(cli, repo, installed)
  if (chosen === undefined) return
  const command = hookProgram(readSettings(repo.root), cli.program)
  for (const agent of installed.filter((known) => !chosen.includes(known)))
    await uninstallAgent(cli, repo, agent)
  for (const agent of chosen.filter((wanted) => !installed.includes(wanted)))
    await installAgent(cli, repo, agent, { command, force: false, implied: false })
}
