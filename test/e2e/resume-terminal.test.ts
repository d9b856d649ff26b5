// Resuming on a terminal: the questions, and what each answer does.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo } from '../support/recorded-repo.ts'
import { featureWithSession, goOn } from '../support/resumable.ts'
import { keys, openTerminal } from '../support/terminal.ts'

const branchOf = (repo: RecordedRepo) => repo.git('branch', '--show-current')

interface Style {
  env: Record<string, string>
  yes: string[]
  no: string[]
}

const styles: Record<string, Style> = {
  'with prompts that move': { env: { TERM: 'xterm-256color' }, yes: ['y'], no: ['n'] },
  'in plain lines': { env: { TERM: 'xterm-256color', ACCESSIBLE: '1' }, yes: ['y\r'], no: ['\r'] },
}

describe.each(Object.entries(styles))('%s', (_name, { env, yes, no }) => {
  const open = (repo: RecordedRepo, ...args: string[]) =>
    openTerminal([binary, ...args], { cwd: repo.root, env: { ...repo.env, ...env, TZ: 'UTC' } })

  test('a newer local log is replaced if the user agrees', async () => {
    await using story = await featureWithSession()
    const { repo, agent } = story
    const stored = readFileSync(agent.transcript, 'utf8')
    goOn(agent, '2026-11-16T08:30:00.000Z')
    await using terminal = open(repo, 'resume', 'feature')
    await terminal.sees('Overwrite local session logs with checkpoint versions?')
    expect(terminal.text()).toContain('Local last entry:      2026-11-16 08:30:00')
    await terminal.press(...yes)
    expect(await terminal.exited()).toBe(0)
    expect(terminal.text()).toContain(`claude -r ${agent.session}`)
    expect(readFileSync(agent.transcript, 'utf8')).toBe(stored)
    expect(await branchOf(repo)).toBe('feature')
  })

  test('a newer local log and the branch are kept if the user declines', async () => {
    await using story = await featureWithSession()
    const { repo, agent } = story
    goOn(agent, '2026-11-16T08:30:00.000Z')
    const newer = readFileSync(agent.transcript, 'utf8')
    await using terminal = open(repo, 'resume', 'feature')
    await terminal.sees('Overwrite local session logs')
    await terminal.press(...no)
    expect(await terminal.exited()).toBe(0)
    expect(terminal.text()).toContain('Resume cancelled. Local session logs preserved.')
    expect(readFileSync(agent.transcript, 'utf8')).toBe(newer)
    expect(await branchOf(repo)).toBe('main')
  })

  test('an older checkpoint is resumed only if the user agrees', async () => {
    await using story = await featureWithSession()
    const { repo, agent } = story
    await repo.git('switch', '--quiet', 'feature')
    repo.write('hand.txt', 'by hand\n')
    await repo.commit('by hand', 'hand.txt')
    rmSync(agent.transcript)
    {
      await using terminal = open(repo, 'resume', 'feature')
      await terminal.sees('Resume from this older checkpoint?')
      await terminal.press(...no)
      expect(await terminal.exited()).toBe(0)
      expect(terminal.text()).toContain('Resume cancelled.')
      expect(existsSync(agent.transcript)).toBe(false)
    }
    await using terminal = open(repo, 'resume', 'feature')
    await terminal.sees('Resume from this older checkpoint?')
    await terminal.press(...yes)
    expect(await terminal.exited()).toBe(0)
    expect(existsSync(agent.transcript)).toBe(true)
  })
})

const moving = { TERM: 'xterm-256color' }

test('without a name, branches with checkpoints and recent sessions are offered', async () => {
  await using story = await featureWithSession('add a \x1b[31mparser\x1b]0;title\x07')
  const { repo, agent } = story
  await repo.git('branch', 'plain', 'main')
  rmSync(agent.transcript)
  await using terminal = openTerminal([binary, 'resume'], { cwd: repo.root, env: { ...repo.env, ...moving } })
  const shown = await terminal.sees('Cancel')
  expect(shown).toContain('What do you want to resume?')
  expect(shown).toMatch(/branch +feature +just now +add parser/)
  expect(shown).toMatch(/session +5e551010 +just now +Claude Code: add a parser/)
  expect(shown).not.toMatch(/plain/)
  expect(terminal.raw()).not.toMatch(/\x1b\[31m|title/)
  await terminal.press(keys.enter)
  expect(await terminal.exited()).toBe(0)
  expect(await branchOf(repo)).toBe('feature')
  expect(existsSync(agent.transcript)).toBe(true)
})

test('a session is picked by its number in plain lines, and the picker can be left', async () => {
  await using story = await featureWithSession()
  const { repo } = story
  const running = fakeAgent(repo)
  await running.turn('no commit yet', { 'x.ts': 'export const x = 1\n' })
  const env = { ...repo.env, ...moving, ACCESSIBLE: '1' }
  {
    await using terminal = openTerminal([binary, 'resume'], { cwd: repo.root, env })
    await terminal.sees('Number: ')
    expect(terminal.text()).toMatch(/2\. session .*no commit yet/)
    await terminal.press('2\r')
    expect(await terminal.exited()).toBe(0)
    expect(terminal.text()).toContain(`claude -r ${running.session}  # no commit yet`)
  }
  await using terminal = openTerminal([binary, 'resume'], { cwd: repo.root, env })
  await terminal.sees('Number: ')
  await terminal.press('\r')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain('Resume cancelled.')
  expect(await branchOf(repo)).toBe('main')
})

test('Ctrl-C at a question changes nothing', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  goOn(agent, '2026-11-16T08:30:00.000Z')
  const newer = readFileSync(agent.transcript, 'utf8')
  await using terminal = openTerminal([binary, 'resume', 'feature'], {
    cwd: repo.root,
    env: { ...repo.env, ...moving },
  })
  await terminal.sees('Overwrite local session logs')
  await terminal.press(keys.interrupt)
  await terminal.exited()
  expect(readFileSync(agent.transcript, 'utf8')).toBe(newer)
  expect(await branchOf(repo)).toBe('main')
})
