// Repacks the repository beside turns and commits: no object that a commit of the user needs is ever lost.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotationSeed, rotationTitle, rounds, timeLimit } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'
import { until } from '../support/until.ts'
import { expectLinksHold } from './faulty-repo.ts'

setDefaultTimeout(timeLimit(120_000))

const agentText = 'what the agent wrote\nin two lines\n'

/** How the branch of a step that holds the agent's text is removed, while HEAD does not have the text. */
const removals: Record<string, (repo: RecordedRepo, agent: FakeAgent) => Promise<unknown>> = {
  'a commit of other content': async (repo) => {
    repo.write('src/file', 'what the person made of it\nin two lines\n')
    await repo.commitAs('human', 'edited')
  },
  clean: (repo, agent) => repo.entire(['clean', '--force', '--session', agent.session]),
  reset: (repo) => repo.entire(['reset', '--force']),
  rewind: async (repo) => {
    const [tip] = await repo.shadows()
    await repo.entire(['rewind', '--to', await repo.git('rev-parse', `${tip}^`)])
  },
}

for (const [name, remove] of Object.entries(removals)) {
  test(`a commit takes up the content of a step, removed by ${name}, during a repack`, async () => {
    await using repo = await recordedRepo()
    const agent = fakeAgent(repo)
    await agent.turn('first', { 'src/other': 'first\n' })
    await agent.turn('write', { 'src/file': agentText })
    await remove(repo, agent)
    expect((await tracked(repo)).filter((path) => path === 'src/file')).toEqual([])
    const repack = await startSlowRepack(repo)
    repo.write('src/file', agentText)
    await repo.commitAs('human', 'as the agent had it')
    await repack.finish()
    await expectWhole(repo)
  })
}

/** The paths of all shadow branches. */
async function tracked(repo: RecordedRepo): Promise<string[]> {
  return (await Promise.all((await repo.shadows()).map((branch) => repo.paths(branch)))).flat()
}

/** A repack that has decided what it keeps, and removes the old packs when it is told to finish. */
async function startSlowRepack(repo: RecordedRepo): Promise<{ finish(): Promise<void> }> {
  const path = (await repo.git('--exec-path')).trim()
  const dir = join(repo.base, 'slow-git')
  const [decided, go] = [join(repo.base, 'decided'), join(repo.base, 'go')]
  mkdirSync(dir)
  writeFileSync(
    join(dir, 'git'),
    `#!/bin/sh\n'${path}/git' "$@"\ncode=$?\n` +
      `[ "$1" != pack-objects ] || { : >'${decided}'; while [ ! -e '${go}' ]; do sleep 0.02; done; }\nexit $code\n`,
  )
  chmodSync(join(dir, 'git'), 0o755)
  const child = spawn('git', ['repack', '-a', '-d', '--quiet'], {
    cwd: repo.root,
    env: { ...repo.env, GIT_EXEC_PATH: dir } as NodeJS.ProcessEnv,
    stdio: 'ignore',
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await until(() => existsSync(decided))
  return {
    async finish() {
      writeFileSync(go, '')
      expect(await ended).toBe(0)
    },
  }
}

const commits = rounds(40, 2_000)

test(`turns and commits beside git repack -ad leave no object missing (${rotationTitle})`, () =>
  counted('races', async (trials) => {
    await using repo = await recordedRepo()
    let isDone = false
    const repackAll = async () => {
      while (!isDone) await repo.run(['git', 'repack', '-a', '-d', '--quiet'])
    }
    const repacking = repackAll()
    const agent = fakeAgent(repo)
    try {
      for (let round = 0; round < commits; round += 1) {
        trials.begin()
        await turnAndCommit(repo, agent, round)
      }
    } finally {
      isDone = true
      await repacking
    }
    await expectWhole(repo)
    await expectLinksHold(repo)
  }))

// Beside a commit, `git gc --prune=now` breaks plain git too: https://git-scm.com/docs/git-gc#_notes
test(`git gc --prune=now between turns and commits leaves no object missing (${rotationTitle})`, () =>
  counted('races', async (trials) => {
    await using repo = await recordedRepo()
    const agent = fakeAgent(repo)
    for (let round = 0; round < rounds(6, 300); round += 1) {
      trials.begin()
      await turnAndCommit(repo, agent, round, () => repo.git('gc', '--quiet', '--prune=now'))
      await expectWhole(repo)
    }
    await expectLinksHold(repo)
  }))

// The content comes again and again, so that commits take up objects of steps whose branch is long gone.
async function turnAndCommit(
  repo: RecordedRepo,
  agent: FakeAgent,
  round: number,
  between: () => Promise<unknown> = async () => {},
): Promise<void> {
  const version = (round * 7 + rotationSeed) % 5
  await agent.turn(`round ${round}`, {
    [`src/part${round % 3}/file`]: `version ${version} of the first\nand its second line\n`,
    'src/other/deep/file': `version ${version} of the other\n`,
    round: `round ${round}\n`,
  })
  await between()
  if (round % 2 === 0) repo.write('src/other/deep/file', `edited ${version}\n`)
  await repo.git('add', '--all')
  await between()
  await commit(repo, round)
  await between()
}

// A repack removes empty directories of objects. Git gives up when that happens while it writes into one, with or
// without Entire: a person or a script tries again.
async function commit(repo: RecordedRepo, round: number): Promise<void> {
  const who = round % 3 === 0 ? 'agent' : 'human'
  for (let attempt = 1; ; attempt += 1)
    try {
      return void (await repo.gitAs(who, ['commit', '--quiet', '-m', `round ${round}`]))
    } catch (error) {
      if (attempt === 5 || !/unable to create temporary file/.test(String(error))) throw error
    }
}

async function expectWhole(repo: RecordedRepo): Promise<void> {
  const fsck = await repo.run(['git', 'fsck', '--full', '--strict', '--no-dangling', '--no-progress'])
  expect({ code: fsck.code, out: fsck.stdout.toString(), err: fsck.stderr }).toEqual({
    code: 0,
    out: '',
    err: '',
  })
}
