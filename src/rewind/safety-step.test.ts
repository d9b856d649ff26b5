import { expect, test } from 'bun:test'
import { tempRepo } from '../../test/support/repo.ts'
import { systemRecorder } from '../cli/recorder.ts'
import { openGit } from '../sessions/git-session.ts'
import { lookAtDisk } from './disk.ts'
import { readSafety, saveSafety } from './safety-step.ts'

test('the record of a safety step names the files and does not repeat their content', async () => {
  await using temp = await tempRepo()
  temp.write('a.txt', 'a file\n')
  await temp.commit('start')
  temp.write('a.txt', 'changed\n')
  const recorder = systemRecorder(temp.repo, { component: 'test' })
  await using git = openGit(temp.repo)
  const saved = await saveSafety(
    { recorder, git, disk: lookAtDisk(temp.root) },
    { kind: 'rewind', paths: ['a.txt', 'absent.txt'], committed: [], sessions: [], logs: [] },
    { commits: [] },
  )
  const record = JSON.parse(await temp.git('show', `${saved.oid}:.entire/undo/record.json`))
  expect(record).toEqual({
    kind: 'rewind',
    base: await temp.head(),
    restore: [{ path: 'a.txt', mode: expect.any(Number) }],
    remove: ['absent.txt'],
    committed: [],
    has_index: false,
    sessions: [],
    logs: [],
  })
  expect(await temp.git('show', `${saved.oid}:a.txt`)).toBe('changed')
  expect(await readSafety(git.objects, saved.oid)).toEqual(saved)
})
