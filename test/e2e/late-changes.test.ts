// Changes files and commits while a hook runs: `git status` is prefetched, and later changes must not be
// lost.
import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

/** A PATH on which every `git status` is followed by something that the user does. */
function pathWith(repo: RecordedRepo, afterStatus: string): Record<string, string> {
  const bin = join(repo.base, 'watched-bin')
  mkdirSync(bin)
  const real = Bun.which('git')
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\n'${real}' "$@"\ncode=$?\nif [ "$1" = status ]; then\n${afterStatus}\nfi\nexit $code\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  return { PATH: `${bin}${delimiter}${repo.env.PATH}` }
}

test('a file that is written after `git status` is in the next step', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.ts', 'export const a = 1\n')
  agent.say('Done.')
  await agent.hook(
    'stop',
    {},
    { env: pathWith(repo, `printf late > '${join(repo.root, 'late.txt')}'\nsleep 0.3`) },
  )
  const shadow = repo.shadow(await repo.head())
  expect(await repo.paths(shadow)).not.toContain('late.txt')
  await agent.turn('write b', { 'b.ts': 'export const b = 2\n' })
  expect(await repo.git('show', `${shadow}:late.txt`)).toBe('late')
})

test('a commit that is recorded while the hook waits for the transcript is not overlooked', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.ts', 'export const a = 1\n')
  const before = await repo.head()
  const stopped = agent.hook('stop', { last_assistant_message: 'Done.' })
  await repo.commitAs('human', 'a', 'a.ts')
  agent.say('Done.')
  expect((await stopped).err).not.toContain('failed')
  const head = await repo.head()
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', base_commit: head })
  expect(repo.state(agent.session).files_touched ?? []).toEqual([])
  expect(await repo.shadows()).not.toContain(repo.shadow(before))
  expect(await repo.transcript(await repo.checkpointOf())).toContain('Done.')
})
