// Kills a hook with all its children, git included, as an agent does that waits no longer.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary } from '../support/recorded-repo.ts'
import { isSoak, rotationSeed, rotationTitle } from '../support/rotation.ts'
import { checkSteps } from '../support/step-tree.ts'
import {
  expectLinksHold,
  expectNoLeftovers,
  expectReadable,
  expectRecorded,
  type FaultyRepo,
  faultyRepo,
} from './faulty-repo.ts'

setDefaultTimeout(60_000)

// Milliseconds, from before the program has started to after it has ended: twelve in a soak, else a few of
// them.
const moments = fc
  .sample(fc.integer({ min: 5, max: 90 }), { seed: 20261115, numRuns: 12 })
  .filter((_, index) => isSoak || index % 3 === rotationSeed % 3)

test(`the end of a turn, killed with its children at any moment, is completed by the next turn (${rotationTitle})`, async () => {
  await using repo = await faultyRepo()
  const agent = checkSteps(repo, fakeAgent(repo))
  for (const [round, ms] of moments.entries()) {
    await agent.prompt(`round ${round}`)
    agent.write(`a${round}`, `line one of ${round}\nline two of ${round}\n`)
    const payload = { session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root }
    await killGroup(repo, ['hooks', 'claude-code', 'stop'], ms, JSON.stringify(payload))
    await expectReadable(repo)
    await agent.turn('go on', {})
    await repo.commitAs('human', `round ${round}`)
    await expectRecorded(repo, 'HEAD', [`a${round}`], agent)
  }
  await agent.prompt('enough')
  await expectSound(repo)
})

test(`a condensation, killed with its children at any moment, is completed by the next turn (${rotationTitle})`, async () => {
  await using repo = await faultyRepo()
  const agent = checkSteps(repo, fakeAgent(repo))
  for (const [round, ms] of moments.entries()) {
    await agent.turn(`round ${round}`, { [`a${round}`]: `line one of ${round}\nline two of ${round}\n` })
    await repo.git('add', '.')
    await repo.gitKilling('post-commit', 0, ['commit', '--quiet', '-m', `round ${round}`])
    await killGroup(repo, ['hooks', 'git', 'post-commit'], ms, '')
    await expectReadable(repo)
    await agent.turn('go on', {})
    await expectRecorded(repo, 'HEAD', [`a${round}`], agent)
  }
  await agent.prompt('enough')
  await expectSound(repo)
})

async function expectSound(repo: FaultyRepo): Promise<void> {
  await expectReadable(repo)
  await expectLinksHold(repo)
  expectNoLeftovers(repo)
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
}

async function killGroup(repo: FaultyRepo, args: string[], ms: number, stdin: string): Promise<void> {
  const child = spawn(binary, args, {
    cwd: repo.root,
    env: repo.env as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin)
  await Bun.sleep(ms)
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // The hook ended before it was killed.
  }
  await ended
  letTimePass(repo)
}

// Makes locks old that git left on refs of Entire: only old ones are removed.
function letTimePass({ repo }: FaultyRepo): void {
  const later = Date.now() / 1000 - 60
  for (const dir of ['refs/heads/entire', 'refs/heads/entire/checkpoints'].map((name) =>
    join(repo.commonDir, name),
  )) {
    const locks = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.lock')) : []
    for (const name of locks) utimesSync(join(dir, name), later, later)
  }
}
