// Tests when a turn makes a step, and what is in it.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

const line = (name: string) => `export const ${name} = '${name}'\n`

test('turns without changes are conversation only: no step, no link, and no file left behind', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('how does it work?', {})
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 0 })
  expect(repo.temporary()).toEqual([])
  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  // What was said is part of the first checkpoint that comes.
  await agent.turn('then write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.stored(await repo.checkpointOf(), '0/prompt.txt')).toBe(
    'how does it work?\n\n---\n\nthen write a',
  )
})

test('a second end of the same turn adds no step', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  const shadow = repo.shadow(await repo.head())
  await agent.stop()
  expect(await repo.subjects(shadow)).toEqual(['Write a'])
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 1 })
})

test('files edited or created through a shell are found without the transcript’s help; the user’s own are left out', async () => {
  await using repo = await recordedRepo()
  repo.write('notes.md', 'mine, from before\n')
  repo.write('todo.md', 'mine, from before\n')
  const agent = fakeAgent(repo)
  await agent.prompt('run the generator')
  agent.run('generated/x.ts', 'export const x = 1\n')
  agent.run('README.md', '# test\n\nchanged by sed\n')
  agent.run('todo.md', 'mine, and more by the agent\n')
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session).files_touched).toEqual(['README.md', 'generated/x.ts', 'todo.md'])
  // The step holds the whole work tree all the same.
  expect(await repo.git('show', `${repo.shadow(await repo.head())}:notes.md`)).toBe('mine, from before')
  await repo.commitAs('human', 'notes', 'notes.md')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('ignored files and files of Entire are never part of a step', async () => {
  await using repo = await recordedRepo()
  repo.write('.gitignore', 'build/\n.env\n')
  await repo.commit('ignore')
  const agent = fakeAgent(repo)
  await agent.turn('build it', { 'a.ts': 'export const a = 1\n', 'build/out.js': 'a\n', '.env': 'TOKEN=1\n' })
  expect(repo.state(agent.session).files_touched).toEqual(['a.ts'])
  const paths = await repo.paths(repo.shadow(await repo.head()))
  expect(paths.filter((path) => /^(build|\.env|\.entire\/(tmp|logs))/.test(path))).toEqual([])
})

test('a step has the current work tree, without changes that the user made and reverted since the last step', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  repo.write('README.md', 'changed by the user for a while\n')
  repo.write('notes/scratch.md', 'kept for a while\n')
  await agent.turn('write a', { 'a.ts': line('a') })
  const shadow = repo.shadow(await repo.head())
  expect(await repo.git('show', `${shadow}:README.md`)).toBe('changed by the user for a while')
  await repo.git('checkout', '--quiet', '--', 'README.md')
  repo.remove('notes')
  await agent.turn('write b', { 'b.ts': line('b') })
  expect(await repo.git('diff', '--name-only', 'HEAD', shadow, '--', ':!.entire/metadata')).toBe('a.ts\nb.ts')
  expect(repo.state(agent.session).files_touched).toEqual(['a.ts', 'b.ts'])
})
