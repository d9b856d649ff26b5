// Three colleagues commit, pull, rebase and push at the same time: every commit is explained in every clone, and
// nothing warns without a reason.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { doctor } from '../support/doctor.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingRows, rotationSeed, rotationTitle, rounds, timeLimit } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'

setDefaultTimeout(timeLimit(120_000))

const storages = ['git-branch', 'git-refs']

test.each(rotatingRows(storages))(
  `three clones at once lose nothing and warn of nothing: %s (${rotationTitle})`,
  (type) =>
    counted('races', async (trials) => {
      await using first = await recordedRepo({ isCommitted: true })
      const remote = join(first.base, 'origin.git')
      await first.git('init', '--quiet', '--bare', '--initial-branch=main', remote)
      await first.git('remote', 'add', 'origin', remote)
      first.write(
        '.entire/settings.json',
        JSON.stringify({ enabled: true, checkpoints: { primary: { type } } }),
      )
      await first.commitAs('human', 'settings', '.entire')
      await first.gitAs('human', ['push', '--quiet', '-u', 'origin', 'main'])
      const clones = [first, await first.addClone('second', remote), await first.addClone('third', remote)]
      const colleagues = clones.map((clone, index) => ({ clone, name: `colleague ${index + 1}`, index }))
      const heard: string[] = []
      for (let round = 0; round < rounds(1, 30); round += 1) {
        trials.begin(colleagues.length)
        const turn = (index: number) => rotationSeed + round * 7 + index
        await Promise.all(
          colleagues.map(async ({ clone, name, index }) => {
            await commitTurn(clone, `${name}, round ${round}`, { hooks: turn(index) % 3 > 0 })
            heard.push(...(await publish(clone, { rebase: turn(index) % 4 > 0 })))
          }),
        )
      }
      expect(heard).toEqual([])
      for (const clone of clones) await clone.gitAs('human', ['pull', '--quiet', '--rebase'])
      const fresh = await first.addClone('fresh', remote)
      const commits = (await fresh.git('log', '--no-merges', '--grep=^colleague', '--format=%H %s')).split(
        '\n',
      )
      expect(commits).toHaveLength(rounds(1, 30) * colleagues.length)
      for (const clone of [...clones, fresh]) {
        expect(await clone.git('rev-parse', 'main')).toBe(await clone.git('rev-parse', 'origin/main'))
        await expectExplained(clone, commits)
        expect((await doctor(clone)).findings).toEqual([])
        expect(await clone.refs('refs/entire-fetch-tmp/')).toEqual([])
      }
    }),
)

/** A turn whose work is committed under the prompt, by the person, or by the agent where no hook runs. */
async function commitTurn(clone: RecordedRepo, prompt: string, { hooks }: { hooks: boolean }): Promise<void> {
  const agent = fakeAgent(clone)
  const path = `${prompt.replace(/\W+/g, '-')}.txt`
  await agent.prompt(prompt)
  agent.write(path, `${prompt}\nis what this file is about\n`)
  if (hooks) {
    await agent.stop()
    await clone.commitAs('human', prompt, path)
    return
  }
  await clone.git('add', '--', path)
  await clone.gitAs('agent', ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', prompt])
  await agent.stop()
}

/** Pulls and pushes until the remote has the branch. Returns what was said that is not true. */
async function publish(clone: RecordedRepo, { rebase }: { rebase: boolean }): Promise<string[]> {
  const said: string[] = []
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const pulled = await clone.run([
      'git',
      'pull',
      '--quiet',
      rebase ? '--rebase' : '--no-rebase',
      '--no-edit',
    ])
    if (pulled.code !== 0) throw new Error(`pull failed: ${pulled.stderr}`)
    const pushed = await clone.run(['git', 'push', '--quiet', 'origin', 'main'])
    said.push(
      ...pushed.stderr.split('\n').filter((line) => /warning|error|not pushed/i.test(line) && isOurs(line)),
    )
    if (pushed.code === 0) return said
  }
  throw new Error('A colleague was always faster.')
}

// Git itself says that a colleague was faster.
function isOurs(line: string): boolean {
  return /entire/i.test(line) && !/^(?:error: failed to push|To |hint:)/.test(line)
}

async function expectExplained(clone: RecordedRepo, commits: string[]): Promise<void> {
  for (const line of commits) {
    const [oid = '', ...words] = line.split(' ')
    const shown = await clone.entire(['explain', '--commit', oid, '--no-pager', '--short'])
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining(`Intent: ${words.join(' ')}`) })
    expect(shown.err.replace(/^Fetching (?:session metadata|links) from origin\.\.\.\n/gm, '')).toBe('')
  }
}
