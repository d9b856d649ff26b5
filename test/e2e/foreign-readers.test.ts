// What this program stores, read as the reference program reads it: chunks in order, joined with a newline.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(60_000)

const sha256 = (text: string) => `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`

test('a transcript ends as the agent’s file ends, in steps and checkpoints, however many turns it takes', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const file = () => readFileSync(agent.transcript, 'utf8')
  const readStep = async () => {
    const [dir, step] = [`.entire/metadata/${agent.session}`, repo.shadow(await repo.head())]
    const names = (await repo.paths(`${step}:${dir}`)).filter((name) => name.startsWith('full.jsonl'))
    const chunks = await Promise.all(
      names
        .toSorted()
        .map(async (name) => (await repo.run(['git', 'show', `${step}:${dir}/${name}`])).stdout),
    )
    return chunks.map(String).join('\n')
  }
  // Long, short and middling turns: chunks are kept, added and merged.
  for (const [turn, size] of [9000, 10, 400, 10, 20_000].entries()) {
    await agent.turn(`turn ${turn}: ${'x '.repeat(size)}`, { 'a.ts': `export const a = ${turn}\n` })
    expect(await readStep()).toBe(file())
  }
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect(await repo.transcript(id)).toBe(file())
  expect(await repo.stored(id, '0/content_hash.txt')).toBe(sha256(file()))

  // Commits in mid-turn are completed at its end.
  await agent.prompt('write b')
  agent.write('b.ts', 'export const b = 1\n')
  await repo.commitAs('agent', 'b', 'b.ts')
  agent.say('Committed.')
  await agent.stop()
  const next = await repo.checkpointOf()
  expect(await repo.transcript(next)).toBe(file())
  expect(await repo.stored(next, '0/content_hash.txt')).toBe(sha256(file()))

  // What goes back to the agent is the same file, without a second newline.
  const before = file()
  expect(await repo.entire(['resume', '--force'])).toMatchObject({ code: 0 })
  expect(file()).toBe(before)
})
