// A rewind takes back what the agent did, and keeps what the person did.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { stepOf } from '../support/rewind-points.ts'

const lines = (...changed: [number, string][]) => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
  for (const [at, line] of changed) text[at - 1] = line
  return `${text.join('\n')}\n`
}

async function oneTurn(): Promise<{ repo: RecordedRepo; agent: ReturnType<typeof fakeAgent> }> {
  const repo = await recordedRepo()
  repo.write('.gitignore', '.claude/\n')
  for (const path of ['both.txt', 'mine.txt', 'its.txt', 'clash.txt']) repo.write(path, lines())
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'its.txt': lines([1, 'first turn']) })
  return { repo, agent }
}

async function rewind(repo: RecordedRepo, ...args: string[]) {
  const { code, out, err } = await repo.entire(['rewind', '--to', await stepOf(repo, 'One'), ...args])
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
  return `${out}${err}`
}

test('files that only the person changed stay; a file both changed is merged', async () => {
  const { repo, agent } = await oneTurn()
  await using _repo = repo
  await agent.turn('two', { 'both.txt': lines([3, 'of the agent']), 'its.txt': lines([1, 'second turn']) })
  repo.write('mine.txt', lines([5, 'of the person']))
  repo.write('both.txt', lines([3, 'of the agent'], [15, 'of the person']))
  repo.write('new.txt', 'of the person\n')
  const said = await rewind(repo)
  expect(repo.read('its.txt')).toBe(lines([1, 'first turn']))
  expect(repo.read('mine.txt')).toBe(lines([5, 'of the person']))
  expect(repo.read('both.txt')).toBe(lines([15, 'of the person']))
  expect(repo.read('new.txt')).toBe('of the person\n')
  expect(said).toContain('Merged: both.txt')
  expect(await repo.entire(['rewind', '--undo'])).toMatchObject({ code: 0 })
  expect(repo.read('both.txt')).toBe(lines([3, 'of the agent'], [15, 'of the person']))
  expect(repo.read('its.txt')).toBe(lines([1, 'second turn']))
})

test('what the person did between two turns stays, also in files that the agent changed later', async () => {
  const { repo, agent } = await oneTurn()
  await using _repo = repo
  repo.write('mine.txt', lines([5, 'of the person']))
  repo.write('both.txt', lines([15, 'of the person']))
  await agent.turn('two', {
    'both.txt': lines([3, 'of the agent'], [15, 'of the person']),
    'its.txt': lines([1, 'second turn']),
  })
  await rewind(repo)
  expect(repo.read('mine.txt')).toBe(lines([5, 'of the person']))
  expect(repo.read('both.txt')).toBe(lines([15, 'of the person']))
  expect(repo.read('its.txt')).toBe(lines([1, 'first turn']))
  await repo.entire(['rewind', '--undo'])
  expect(repo.read('both.txt')).toBe(lines([3, 'of the agent'], [15, 'of the person']))
})

test('where both changed the same lines, the step wins, says so, and undo has the rest', async () => {
  const { repo, agent } = await oneTurn()
  await using _repo = repo
  await agent.turn('two', { 'clash.txt': lines([3, 'of the agent']) })
  repo.write('clash.txt', lines([3, 'of the agent, corrected']))
  const said = await rewind(repo)
  expect(repo.read('clash.txt')).toBe(lines())
  expect(said).toContain('clash.txt (your changes are in the same place; `entire rewind --undo` has them)')
  await repo.entire(['rewind', '--undo'])
  expect(repo.read('clash.txt')).toBe(lines([3, 'of the agent, corrected']))
})

test('--everything restores the exact state', async () => {
  const { repo, agent } = await oneTurn()
  await using _repo = repo
  await agent.turn('two', { 'its.txt': lines([1, 'second turn']) })
  repo.write('mine.txt', lines([5, 'of the person']))
  repo.write('new.txt', 'of the person\n')
  const preview = await rewind(repo, '--dry-run')
  expect(preview).toContain('Keep: mine.txt (only you changed it; --everything restores it)')
  await rewind(repo, '--everything')
  expect(repo.read('mine.txt')).toBe(lines())
  expect(await repo.git('status', '--porcelain')).toBe(' M its.txt')
  await repo.entire(['rewind', '--undo'])
  expect(repo.read('mine.txt')).toBe(lines([5, 'of the person']))
  expect(repo.read('new.txt')).toBe('of the person\n')
})

test('while a turn is running, what has changed since the last step is the agent’s', async () => {
  const { repo, agent } = await oneTurn()
  await using _repo = repo
  await agent.prompt('two')
  agent.write('mine.txt', lines([5, 'of the agent after all']))
  await rewind(repo)
  expect(repo.read('mine.txt')).toBe(lines())
})

test('a turn that never ended is taken back to the state before it', async () => {
  const { repo, agent } = await oneTurn()
  await using _repo = repo
  repo.write('mine.txt', lines([5, 'of the person']))
  await agent.prompt('two')
  agent.write('both.txt', lines([3, 'of the agent']))
  await repo.entire(['session', 'stop', agent.session, '--force'])
  repo.write('both.txt', lines([3, 'of the agent']))
  const before = await stepOf(repo, 'Before: Two')
  expect(await repo.entire(['rewind', '--to', before])).toMatchObject({ code: 0 })
  expect(repo.read('both.txt')).toBe(lines())
  expect(repo.read('mine.txt')).toBe(lines([5, 'of the person']))
})

test('--json names what was merged and what was kept', async () => {
  const { repo, agent } = await oneTurn()
  await using _repo = repo
  await agent.turn('two', { 'both.txt': lines([3, 'of the agent']), 'clash.txt': lines([3, 'x']) })
  repo.write('both.txt', lines([3, 'of the agent'], [15, 'of the person']))
  repo.write('clash.txt', lines([3, 'y']))
  repo.write('mine.txt', lines([5, 'of the person']))
  const { out } = await repo.entire(['rewind', '--to', await stepOf(repo, 'One'), '--dry-run', '--json'])
  expect(JSON.parse(out)).toMatchObject({
    merge: ['both.txt'],
    conflicts: ['clash.txt'],
    keep: [{ path: 'mine.txt', reason: 'changed-only-by-you' }],
  })
})
