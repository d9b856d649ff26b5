// Resetting, restoring and fixing in every kind of repository.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { doctor } from '../support/doctor.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { tempDir } from '../support/repo.ts'
import { availableKinds } from '../support/repo-kinds.ts'

setDefaultTimeout(60_000)

await using place = tempDir()
const kinds = (await availableKinds(place.base, place.env)).filter((kind) => kind !== 'unborn')

test.each(kinds)('%s', async (kind) => {
  await using repo = await recordedRepo({ kind })
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
  const agent = fakeAgent(repo)
  await agent.turn('work', { 'made.txt': 'made by the agent\n' })
  const [state, shadows] = [repo.state(agent.session), await repo.shadows()]
  expect((await repo.entire(['reset', '--force'])).out).toContain(
    `Cleared session state for ${agent.session}`,
  )
  expect(await repo.shadows()).toEqual([])
  expect((await repo.entire(['clean', '--undo'])).code).toBe(0)
  expect({ state: repo.state(agent.session), shadows: await repo.shadows() }).toEqual({ state, shadows })
  await agent.prompt('and more')
  const path = join(repo.repo.commonDir, 'entire-sessions', `${agent.session}.json`)
  const hoursAgo = new Date(Date.now() - 5 * 3_600_000)
  writeFileSync(
    path,
    JSON.stringify({
      ...JSON.parse(readFileSync(path, 'utf8')),
      last_interaction_time: hoursAgo.toISOString(),
    }),
  )
  utimesSync(agent.transcript, hoursAgo, hoursAgo)
  expect(await doctor(repo, ['--force'])).toMatchObject({
    code: 0,
    fixed: [{ id: 'stuck-session' }],
    findings: [],
  })
  await repo.commitAs('human', 'made', 'made.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ session_id: agent.session })
  expect((await repo.entire(['clean', '--all', '--force'])).code).toBe(0)
})
