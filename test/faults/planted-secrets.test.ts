// Plants secrets of every form, name and kind in a conversation, and scans every object of the repository that
// records it.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { findByReference } from '../support/reference-redaction.ts'
import { rotatingSeeds, rotationSeed, rounds, timeLimit } from '../support/rotation.ts'
import { type SecretCase, secretCorpus } from '../support/secret-corpus.ts'
import { counted } from '../support/trials.ts'

setDefaultTimeout(timeLimit(120_000))

/** How many secrets a conversation has; each seed takes others of the corpus. */
const count = rounds(300, 4_000)

test.each(rotatingSeeds(1))('no secret of a conversation is in an object of git (seed %d)', (seed) =>
  counted('secrets', async (trials) => {
    await using repo = await recordedRepo()
    const agent = fakeAgent(repo)
    const secrets = choose(secretCorpus(seed))
    trials.begin(secrets.length)
    // In prompts, in what the agent says, in tool calls and in their output.
    const [asked, said, called, read] = [0, 1, 2, 3].map((part) => secrets.filter((_, at) => at % 4 === part))
    const texts = (cases: SecretCase[] = []) => cases.map(({ text }) => text)
    await agent.prompt(texts(asked).join('\n\n'))
    for (const text of texts(said)) agent.say(text)
    for (const [index, text] of texts(called).entries())
      agent.log({
        type: 'assistant',
        message: {
          role: 'assistant',
          content: [{ type: 'tool_use', id: `toolu_c${index}`, name: 'Bash', input: { command: text } }],
        },
      })
    for (const [index, text] of texts(read).entries())
      agent.log({
        type: 'user',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: `toolu_r${index}`, content: text }],
        },
      })
    agent.write('a.txt', 'a line of the agent\nand another\n')
    await agent.stop()
    await repo.commitAs('human', 'work')
    await repo.checkpointOf()
    const stored = await readObjects(repo)
    // The conversation is there to be scanned.
    expect(['toolu_c0', 'toolu_r0'].filter((id) => !stored.includes(id))).toEqual([])
    const remaining = secrets.filter(({ secret }) => stored.includes(secret))
    const known = remaining.filter((one) =>
      findByReference(one.text).some((text) => text.includes(one.secret)),
    )
    expect(known.map(({ form, kind, text }) => `${form}, ${kind}: ${text}`)).toEqual([])
    // The whole corpus is held to 1 %; these are few of it, so one more or less weighs.
    expect(remaining.length / secrets.length).toBeLessThan(0.02)
    trials.excuse(remaining.length)
  }),
)

function choose(corpus: SecretCase[]): SecretCase[] {
  const every = Math.max(1, Math.floor(corpus.length / count))
  return corpus.filter((_, index) => index % every === rotationSeed % every).slice(0, count)
}

async function readObjects(repo: RecordedRepo): Promise<string> {
  const args = ['cat-file', '--batch-all-objects', '--batch', '--buffer', '--unordered']
  const ran = await repo.run(['git', ...args])
  if (ran.code !== 0) throw new Error(ran.stderr)
  return Buffer.from(ran.stdout).toString('utf8')
}
