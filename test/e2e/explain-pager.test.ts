// Long output on a terminal goes through the user's pager; failures of the pager are ignored.
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { keys, openTerminal } from '../support/terminal.ts'

async function talkativeRepo(): Promise<{ repo: RecordedRepo; id: string; pager: string; paged: string }> {
  const repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('count')
  agent.write('a.ts', 'export const a = 1\n')
  agent.say(Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n'))
  await agent.stop()
  await repo.commitAs('human', 'count', 'a.ts')
  const [pager, paged] = [join(repo.base, 'bin', 'recording-pager'), join(repo.base, 'paged')]
  writeFileSync(pager, `#!/bin/sh\ncat > ${paged}\necho paged $LESS\n`, { mode: 0o755 })
  return { repo, id: await repo.checkpointOf(), pager, paged }
}

const open = (repo: RecordedRepo, args: string[], env: Record<string, string>, ...before: string[]) =>
  openTerminal([...before, binary, 'explain', ...args], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm', ...env },
    columns: 80,
    rows: 24,
  })

test('output longer than the screen goes to $PAGER, in colours', async () => {
  const { repo, id, pager, paged } = await talkativeRepo()
  await using _repo = repo
  await using terminal = open(repo, [id], { PAGER: pager })
  await terminal.sees('paged FRX')
  expect(await terminal.exited()).toBe(0)
  const text = readFileSync(paged, 'utf8')
  expect(text).toContain(`Checkpoint: \x1b[36m${id}\x1b[39m\n`)
  expect(text).toContain('\x1b[32m[Assistant]\x1b[39m line 0\nline 1\n')
  expect(terminal.text()).not.toContain('line 299')
})

test.each<[string, string[], Record<string, string>]>([
  ['--no-pager', ['--no-pager'], {}],
  ['a short answer', ['--short'], {}],
  ['JSON', ['--json'], {}],
  ['a raw transcript', ['--raw-transcript'], {}],
  ['an empty PAGER', [], { PAGER: '' }],
])('no pager is started for %s', async (_what, args, env) => {
  const { repo, id, pager, paged } = await talkativeRepo()
  await using _repo = repo
  await using terminal = open(repo, [id, ...args], { PAGER: pager, ...env })
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain(args.includes('--short') ? 'Outcome:' : 'line 299')
  expect(existsSync(paged)).toBe(false)
})

test('without a terminal there is no pager and no colour', async () => {
  const { repo, id, pager, paged } = await talkativeRepo()
  await using _repo = repo
  const { out } = await repo.entire(['explain', id], { env: { PAGER: pager, TERM: 'xterm' } })
  expect(out).toContain('\nline 299\n')
  expect(out).not.toContain('\x1b')
  expect(existsSync(paged)).toBe(false)
})

test('a missing pager, or one that is quit early, is not an error', async () => {
  const { repo, id } = await talkativeRepo()
  await using _repo = repo
  await using missing = open(repo, [id], { PAGER: 'no-such-pager' })
  expect(await missing.exited()).toBe(0)
  expect(missing.text()).toContain('line 299')
  await using left = open(repo, [id], { PAGER: 'head -1' })
  await left.sees('Checkpoint: ')
  expect(await left.exited()).toBe(0)
  expect(left.text()).not.toContain('bug')
})

test('Ctrl-C goes to the pager, q quits it, and the terminal is restored', async () => {
  const { repo, id } = await talkativeRepo()
  await using _repo = repo
  await using terminal = open(repo, [id], { PAGER: 'less' }, 'setsid', '-cw')
  await terminal.sees('Intent: count')
  await terminal.press(keys.interrupt)
  await terminal.press('G')
  await terminal.sees('line 299')
  await terminal.press('q')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).not.toContain('error')
})

test('on a narrow terminal the lines of a list are truncated, not wrapped', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn(`write ${'very '.repeat(30)}much`, { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', `subject ${'that is long '.repeat(10)}`, 'a.ts')
  await using terminal = openTerminal([binary, 'explain'], {
    cwd: repo.root,
    env: { ...repo.env, NO_COLOR: '1' },
    columns: 40,
  })
  expect(await terminal.exited()).toBe(0)
  const lines = terminal.text().split('\n')
  expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBe(40)
  expect(terminal.raw()).not.toContain('\x1b[3')
})
