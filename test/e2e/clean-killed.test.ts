// Kills `entire reset` and `entire doctor` at each write: nothing is lost, and a second run completes the
// work.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectNoLeftovers, expectReadable, killedCode } from '../faults/faulty-repo.ts'
import { doctor } from '../support/doctor.ts'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingNumbers, rotationTitle, timeLimit } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'

setDefaultTimeout(timeLimit(120_000))

test(`a killed reset leaves the session where it was, or in the trash (${rotationTitle})`, () =>
  counted('kills', async (trials) => {
    await using repo = await recordedRepo({ isCommitted: true })
    for (const write of rotatingNumbers()) {
      trials.begin()
      const agent = fakeAgent(repo)
      await agent.turn('work', { [`file-${write}.txt`]: `the work of round ${write}\n` })
      const state = repo.state(agent.session)
      const ran = await repo.entire(['reset', '--session', agent.session, '--force'], {
        env: { ENTIRE_TEST_KILL_AT_WRITE: `${write}` },
      })
      if (ran.code !== killedCode) {
        expect(write).toBeGreaterThan(6)
        break
      }
      if (!repo.hasState(agent.session)) expect((await repo.entire(['clean', '--undo'])).code).toBe(0)
      expect(repo.state(agent.session)).toEqual(state)
      await repo.commitAs('human', `round ${write}`)
      expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ session_id: agent.session })
    }
    await expectReadable(repo)
  }))

test(`a killed repair of a turn that never ended loses nothing of the turn (${rotationTitle})`, () =>
  counted('kills', async (trials) => {
    await using repo = await recordedRepo({ isCommitted: true })
    for (const write of rotatingNumbers()) {
      trials.begin()
      const agent = fakeAgent(repo)
      await agent.prompt('work')
      agent.run(`file-${write}.txt`, `the work of round ${write}\n`)
      agent.say('half of it')
      letHoursPass(repo, agent)
      const ran = await repo.entire(['doctor', '--force'], { env: { ENTIRE_TEST_KILL_AT_WRITE: `${write}` } })
      const wasKilled = ran.code === killedCode
      expect(await doctor(repo, ['--force'])).toMatchObject({ code: 0, findings: [] })
      expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: [`file-${write}.txt`] })
      await repo.commitAs('human', `round ${write}`)
      const id = await repo.checkpointOf()
      expect(await repo.storedSession(id)).toMatchObject({
        session_id: agent.session,
        files_touched: [`file-${write}.txt`],
      })
      expect(await repo.transcript(id)).toContain('half of it')
      if (!wasKilled) {
        expect(write).toBeGreaterThan(6)
        break
      }
    }
    await expectReadable(repo)
  }))

test(`a killed condensation is completed by the next one, which stores the transcript (${rotationTitle})`, () =>
  counted('kills', async (trials) => {
    await using repo = await recordedRepo({ isCommitted: true })
    for (const write of rotatingNumbers()) {
      trials.begin()
      const agent = fakeAgent(repo)
      await agent.turn('work', { [`file-${write}.txt`]: `the work of round ${write}\n` })
      await agent.prompt('and more')
      agent.say(`said in round ${write}`)
      letHoursPass(repo, agent)
      const ran = await repo.entire(['doctor', '--force'], { env: { ENTIRE_TEST_KILL_AT_WRITE: `${write}` } })
      const wasKilled = ran.code === killedCode
      expect(await doctor(repo, ['--force'])).toMatchObject({ code: 0, findings: [] })
      expect(repo.state(agent.session)).toMatchObject({
        phase: 'idle',
        checkpoint_count: 0,
        files_touched: [`file-${write}.txt`],
      })
      expect(await repo.transcript(repo.state(agent.session).last_checkpoint_id as string)).toContain(
        `said in round ${write}`,
      )
      await repo.commitAs('human', `round ${write}`)
      expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ session_id: agent.session })
      expect(existsSync(join(repo.root, '.entire/metadata', agent.session, 'prompt.txt'))).toBe(false)
      if (!wasKilled) {
        expect(write).toBeGreaterThan(6)
        break
      }
    }
    await expectReadable(repo)
    await fakeAgent(repo).prompt('sweeps')
    expectNoLeftovers(repo)
  }))

function letHoursPass(repo: RecordedRepo, agent: FakeAgent): void {
  const path = join(repo.repo.commonDir, 'entire-sessions', `${agent.session}.json`)
  const hoursAgo = new Date(Date.now() - 5 * 3_600_000)
  const state = { ...repo.state(agent.session), last_interaction_time: hoursAgo.toISOString() }
  writeFileSync(path, JSON.stringify(state))
  utimesSync(agent.transcript, hoursAgo, hoursAgo)
}
