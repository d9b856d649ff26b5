// `entire doctor` finds no problems in the data of other versions of the reference program, unless some of it
// is lost.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { type Age, ages } from '../support/foreign-ages.ts'
import { asForeign, type ForeignRepo } from '../support/foreign-repo.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { readUserState } from '../support/user-state.ts'

setDefaultTimeout(60_000)

interface Finding {
  id: string
  subject?: string
  title: string
}

async function examine(repo: ForeignRepo): Promise<{ ok: boolean; findings: Finding[] }> {
  const { out } = await repo.entire(['doctor', '--json'])
  return JSON.parse(out)
}

async function agedRepo(age: Age): Promise<ForeignRepo> {
  const repo = asForeign(await recordedRepo())
  // `entire enable` created it; the foreign repository had its own.
  await repo.git('update-ref', '-d', 'refs/heads/entire/checkpoints/v1')
  for (const [ref, files] of Object.entries(age.trees)) await repo.put(ref, files)
  await repo.link(age.checkpoint)
  return repo
}

const unwell: Record<string, string[]> = {
  // The local branch and the one on the remote were created independently.
  'garbage here, whole on the remote': ['metadata-disconnected'],
  'a session is lost': ['sessions-lost'],
  'a session is garbage': ['sessions-lost'],
}

test.each(Object.entries(ages))('%s', async (name, age) => {
  await using repo = await agedRepo(age)
  const before = [...readUserState(repo.repo), await repo.git('for-each-ref')]
  const { ok, findings } = await examine(repo)
  expect(findings.map(({ id }) => id)).toEqual(unwell[name] ?? [])
  expect(ok).toBe(unwell[name] === undefined)
  expect([...readUserState(repo.repo), await repo.git('for-each-ref')]).toEqual(before)
})

test.each(Object.entries(ages))('%s, with a missing checkpoint', async (_name, age) => {
  await using repo = await agedRepo(age)
  for (const ref of Object.keys(age.trees)) await repo.git('update-ref', '-d', ref)
  const { findings } = await examine(repo)
  expect(findings).toMatchObject([
    { id: 'dangling-link', title: '1 of the last 200 commits name a checkpoint that is missing here.' },
  ])
})
