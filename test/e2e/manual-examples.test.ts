// Runs every example of every manual, in a repository that has the things they name.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { examples, wordsOf } from '../support/manual-examples.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { type Snapshot, takeSnapshot } from '../support/template.ts'
import { unrecordedSession } from '../support/unrecorded-session.ts'

setDefaultTimeout(60_000)

/** Replaces the names in the examples by those that exist here. */
async function prepare(place: RecordedRepo): Promise<Record<string, string>> {
  await place.commit('set up')
  await place.git('branch', 'feature/login')
  const agent = fakeAgent(place)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await place.commitAs('human', 'a', 'a.ts')
  const checkpoint = await place.checkpointOf()
  await agent.turn('write b', { 'b.ts': 'export const b = 1\n', 'src/login.ts': '// b\n' })
  const commit = await place.head()
  await agent.turn('write c', { 'c.ts': 'export const c = 1\n', 'src/login.ts': 'export {}\n' })
  const step = await place.git('rev-parse', `${place.shadow(commit)}~1`)
  unrecordedSession(place, '6f3c0e52-8f0e-4a54-9a13-5a3f1f0a7c11').turn('write d', {
    'd.ts': 'export const d = 1\n',
  })
  place.write('.env', 'PORT=8080\n')
  // Removed items, for --undo.
  await place.git('branch', 'entire/7654321-e3b0c4')
  await place.entire(['clean', '--all', '--force'])
  return {
    a3b2c4d5e6f7: checkpoint,
    a3b2c4: checkpoint.slice(0, 6),
    '3fa9c21': step.slice(0, 7),
    '9fceb02': commit.slice(0, 7),
    '6f3c0e51': agent.session,
    '6f3c0e5': agent.session,
    '5e551010': agent.session,
    'github:acme/private': 'origin',
    '/tmp/report.tar.gz': `${place.base}/report.tar.gz`,
  }
}

/** Examples that need a person, another program, or run until they are stopped. */
const apart: [RegExp, string][] = [
  [/^explain \S+ --generate/, 'a model writes it'],
  [/--follow|^watch/, 'goes on until Ctrl-C'],
  [/^agent (?:new|check|try)/, 'is about programs of others'],
  [/^enable --checkpoint-remote/, 'wants a remote'],
  [/^session attach .* --agent gemini/, 'wants a session of Gemini'],
]

/** What a person did before, by command. */
const doneBefore: Record<string, string[][]> = { 'entire redo': [['undo', 'c.ts'], ['undo']] }

const isApart = (words: string[]) => apart.some(([pattern]) => pattern.test(words.join(' ')))

let repo: RecordedRepo
let names: Record<string, string>
let start: Snapshot
beforeAll(async () => {
  repo = await recordedRepo()
  names = await prepare(repo)
  start = takeSnapshot(repo.base)
})
afterAll(async () => {
  start[Symbol.dispose]()
  await repo[Symbol.asyncDispose]()
})

test.each([...Map.groupBy(examples, ([command]) => command)])('%s', async (command, shown) => {
  start.restore()
  for (const words of doneBefore[command] ?? []) await repo.entire(words)
  for (const [, line] of shown) {
    const words = (wordsOf(line) ?? []).map((word) => names[word] ?? word)
    if (isApart(words)) continue
    const { code, err, out } = await repo.entire(words, {
      stdin: line.startsWith('pass ') ? 'a secret of the user' : '',
    })
    expect(`${out}${err}`).not.toMatch(/\n\s+at .*:\d+/)
    // The only error allowed is that there is no terminal to ask on.
    if (code === 2)
      expect({ line, err }).toEqual({ line, err: expect.stringMatching(/terminal|--force|--list/) })
    else expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' })
  }
})
