// Tests that a commit is linked when it has work of a session, not merely when a session is running.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('a commit is linked if it has any file of the session', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  const before = repo.state(agent.session)

  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.gitAs('human', ['commit', '--quiet', '--allow-empty', '-m', 'empty'])
  expect(await repo.checkpointsOf()).toEqual([])
  // A session that has no part in a commit keeps its base until its next step.
  expect(repo.state(agent.session)).toEqual(before)
  expect(await repo.shadows()).toEqual([repo.shadow(before.base_commit as string)])

  repo.write('mine.ts', 'by hand, again\n')
  await repo.commitAs('human', 'both', 'mine.ts', 'a.ts')
  const id = await repo.checkpointOf()
  expect((await repo.storedSession(id)).files_touched).toEqual(['a.ts'])
  expect(await repo.shadows()).toEqual([])
})

test('a session whose work is all committed has no part in later edits of the same files', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const tip = await repo.git('rev-parse', 'entire/checkpoints/v1')
  repo.write('a.ts', 'export const a = 2 // by hand\n')
  await repo.commitAs('human', 'edit by hand', 'a.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(tip)
})

test('a new file of the agent that the user rewrote under the same name is not linked', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export function fromTheAgent() {}\n' })
  repo.remove('a.ts')
  repo.write('a.ts', 'const entirelyMine = "nothing in common"\n')
  await repo.commitAs('human', 'mine', 'a.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(await repo.refs('refs/heads/entire/checkpoints/v1')).toHaveLength(1)
  expect(await repo.paths('entire/checkpoints/v1')).toEqual([])
})

test('a new file of the agent that the user polished is linked: enough of its lines are still there', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const lines = ['export function first() {}', 'export function second() {}', 'export function third() {}']
  await agent.turn('write a', { 'a.ts': `${lines.join('\n')}\n` })
  repo.write('a.ts', `// polished\n${lines.slice(0, 2).join('\n')}\n`)
  await repo.commitAs('human', 'polished', 'a.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual(['a.ts'])
})

test('a tracked file that the agent edited is linked, however the user changed it', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('edit the readme', { 'README.md': '# test\n\nA long line by the agent.\n' })
  repo.write('README.md', 'replaced\n')
  await repo.commitAs('human', 'readme', 'README.md')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual(['README.md'])
})

test('edits that the user reverted before the commit are not linked', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('edit the readme', {
    'README.md': '# test\n\nby the agent\n',
    'new.ts': 'export const fresh = 1\n',
  })
  await repo.git('checkout', '--', 'README.md')
  repo.remove('new.ts')
  repo.write('other.ts', 'by hand\n')
  await repo.commitAs('human', 'other')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('without its shadow branch a session is linked by the names of its files', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a and b', { 'a.ts': 'export const a = 1\n', 'b.ts': 'export const b = 1\n' })
  await repo.git('branch', '--quiet', '-D', ...(await repo.shadows()))
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect(await repo.transcriptLines(id)).toEqual(agent.lines())
  expect(repo.state(agent.session).files_touched).toEqual(['b.ts'])
})

test('a commit whose trailer the user removed gets no checkpoint, and no work is lost', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('please write a', { 'a.ts': 'export const a = 1\n' })
  const before = repo.state(agent.session)
  await repo.git('add', 'a.ts')
  repo.write(
    '../editor.sh',
    '#!/bin/sh\ncp "$1" "$1.seen"\nsed -i "/^Entire-Checkpoint/d; 1s/^/not linked\\n/" "$1"\n',
    0o755,
  )
  await repo.gitAs('human', ['commit', '--quiet'], { env: { GIT_EDITOR: `${repo.base}/editor.sh` } })
  const seen = repo.read('.git/COMMIT_EDITMSG.seen')
  expect(seen).toMatch(/^Entire-Checkpoint: [0-9a-f]{12}$/m)
  expect(seen).toContain('# Remove the Entire-Checkpoint trailer above')
  expect(seen).toContain('please write a')
  expect(await repo.message()).toBe('not linked\n')
  expect(await repo.paths('entire/checkpoints/v1')).toEqual([])
  expect(repo.state(agent.session)).toEqual(before)

  // The editor that leaves the trailer in place gets the checkpoint it names.
  await agent.turn('write b', { 'b.ts': 'export const b = 1\n' })
  await repo.git('add', 'b.ts')
  repo.write('../editor.sh', '#!/bin/sh\nsed -i "1s/^/linked\\n/" "$1"\n', 0o755)
  await repo.gitAs('human', ['commit', '--quiet'], { env: { GIT_EDITOR: `${repo.base}/editor.sh` } })
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toContain('b.ts')

  // A message with only the trailer counts as empty: git aborts the commit.
  await agent.turn('write c', { 'c.ts': 'export const c = 1\n' })
  await repo.git('add', 'c.ts')
  const head = await repo.head()
  await expect(repo.gitAs('human', ['commit', '--quiet'], { env: { GIT_EDITOR: 'true' } })).rejects.toThrow(
    'empty commit message',
  )
  expect(await repo.head()).toBe(head)
})

test.each(['human', 'agent'] as const)(
  '%s: a mode, an empty file and a deletion are linked, although only the index shows them',
  async (who) => {
    await using repo = await recordedRepo()
    repo.write('tool.sh', '#!/bin/sh\n')
    repo.write('old.ts', 'export const old = 1\n')
    await repo.commitAs('human', 'before', 'tool.sh', 'old.ts')
    for (const [name, act] of [
      ['tool.sh', () => repo.write('tool.sh', '#!/bin/sh\n', 0o755)],
      ['empty.py', () => repo.write('empty.py', '')],
      ['old.ts', () => repo.remove('old.ts')],
    ] as const) {
      const agent = fakeAgent(repo)
      await agent.prompt(`do ${name}`)
      act()
      agent.say('Done.')
      await agent.stop()
      await repo.commitAs(who, name, name)
      expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual([name])
      expect(await repo.shadows()).toEqual([])
    }
  },
)

test('an empty file that was only announced is not in the commit', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('an empty file', { 'empty.py': '' })
  repo.write('mine.ts', 'by hand\n')
  await repo.git('add', '-N', 'empty.py')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('a commit of some paths is judged by those paths, not by the rest of the index', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a and b', { 'a.ts': 'export const a = 1\n', 'b.ts': 'export const b = 1\n' })
  repo.write('README.md', 'by hand\n')
  await repo.git('add', 'a.ts')
  await repo.gitAs('human', ['commit', '--quiet', '-m', 'mine', '--', 'README.md'])
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.git('add', 'b.ts')
  await repo.gitAs('human', ['commit', '--quiet', '-m', 'b alone', '--', 'b.ts'])
  const id = await repo.checkpointOf()
  expect(await repo.git('show', '--name-only', '--format=', 'HEAD')).toBe('b.ts')
  expect((await repo.storedSession(id)).files_touched).toEqual(['a.ts', 'b.ts'])
})

test('sessions with very many files are linked', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const files = Object.fromEntries(
    Array.from({ length: 80 }, (_, at) => [`many/${at}.ts`, `export const value${at} = ${at}\n`]),
  )
  await agent.turn('write many', files)
  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.commitAs('human', 'the last of them', 'many/79.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toHaveLength(80)
})

test('the hooks of a commit ask all they need to know through one process each', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.git('add', 'a.ts')
  const log = join(repo.base, 'trace2.log')
  await repo.gitAs('human', ['commit', '--quiet', '-m', 'a'], { env: { GIT_TRACE2_EVENT: log } })
  await repo.checkpointOf()
  const events = readFileSync(log, 'utf8').trimEnd().split('\n')
  const started = events
    .map((line) => JSON.parse(line) as { event: string; sid: string; argv: string[] })
    .filter(({ event }) => event === 'start')
  const ours = started.filter(({ sid }) => sid.split('/').length === 2).map(({ argv }) => argv.join(' '))
  const of = (command: string) => ours.filter((line) => line.includes(command)).length
  expect({
    all: ours.length,
    reads: of('cat-file'),
    writes: of('fast-import'),
    refs: of('update-ref'),
  }).toEqual({
    all: 4,
    reads: 2,
    writes: 1,
    refs: 1,
  })
})

test('a message in another encoding keeps its bytes when it gets its link', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.git('config', 'i18n.commitEncoding', 'ISO-8859-1')
  await repo.git('add', 'a.ts')
  repo.write('../words', Buffer.from('Grüße\n', 'latin1'))
  await repo.gitAs('human', ['commit', '--quiet', '-F', join(repo.root, '../words')])
  // Git shows it as it reads it with the encoding that the commit names.
  expect(await repo.git('log', '-1', '--format=%s', '--encoding=UTF-8')).toBe('Grüße')
  await repo.checkpointOf()
})
