// Lines that arrive in pieces, together, very long, or damaged, and a host that is slow to read.
import { maxLineBytes } from '../../protocol/extension.ts'
import type { Probe } from './probe.ts'
import type { Rule } from './rule.ts'
import { expectAlive, stillThere, unknownMethod } from './rules-requests.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export const framingRules: Rule[] = [
  {
    id: 'framing/fragmented',
    title: 'A line that arrives in pieces is one line',
    level: 'must',
    needs: [stillThere],
    run: async ({ start }) => {
      const probe = await start()
      // One piece ends within a character, and the last one is the end of the line.
      const { id, line } = probe.lineFor(unknownMethod, { note: 'prüfung 🐖' })
      const bytes = Buffer.from(line)
      const cuts = [1, 20, bytes.indexOf(Buffer.from('ü')) + 1, bytes.indexOf(Buffer.from('🐖')) + 2, bytes.length - 1, bytes.length]
      for (const [at, end] of cuts.entries()) {
        await probe.write(bytes.subarray(cuts[at - 1] ?? 0, end))
        await pause(20)
      }
      await probe.answerTo(id)
    },
  },
  {
    id: 'framing/merged',
    title: 'Lines that arrive together are all read, and empty ones are nothing',
    level: 'must',
    needs: [stillThere],
    run: async ({ start }) => {
      const probe = await start()
      const requests = Array.from({ length: 20 }, () => probe.lineFor(unknownMethod))
      await probe.write(`\n\n${requests.map(({ line }) => line).join('\n')}\n`)
      for (const { id } of requests) await probe.answerTo(id)
    },
  },
  {
    id: 'framing/large',
    title: 'A line of almost 4 MiB is read',
    level: 'must',
    needs: [stillThere],
    run: async ({ start, limits }) => {
      const probe = await start()
      // Shells read byte by byte, and may.
      await probe.ask(unknownMethod, { text: 'x'.repeat(maxLineBytes - 1024) }, limits.answerMs * 4)
    },
  },
  {
    id: 'framing/too-long',
    title: 'A line of 5 MiB is not its end',
    level: 'should',
    needs: [stillThere],
    run: async ({ start, limits }) => {
      const probe = await start()
      await probe.write(`{"method":"${unknownMethod}","params":"${'x'.repeat(5 * 1024 * 1024)}"}\n`)
      await expectAlive(probe, 'a line of 5 MiB', limits.answerMs * 4)
    },
  },
  {
    id: 'framing/garbage',
    title: 'Lines that are no messages are skipped',
    level: 'should',
    needs: [stillThere],
    run: async ({ start }) =>
      expectUnharmed(await start(), 'no message\n[]\n17\n{"jsonrpc":"2.0"}\n{"id":9999,"result":{}}\n', 'lines that are no messages'),
  },
  {
    id: 'framing/bad-utf8',
    title: 'Bytes that are no text do no harm',
    level: 'should',
    needs: [stillThere],
    run: async ({ start }) => {
      // Latin-1, because its characters are single bytes.
      const bytes = Buffer.from(`{"jsonrpc":"2.0","method":"${unknownMethod}","params":{"text":"\xff\xfe\xc3(\xed\xa0\x80"}}\n`, 'latin1')
      await expectUnharmed(await start(), bytes, 'a line that is not UTF-8')
    },
  },
  {
    id: 'framing/slow-reader',
    title: 'Answers are whole when the host is slow to read them',
    level: 'must',
    needs: [stillThere],
    run: async ({ start, limits }) => {
      const probe = await start()
      probe.pause()
      const requests = Array.from({ length: 1500 }, () => probe.lineFor(`${unknownMethod}-${'x'.repeat(400)}`))
      // An extension that does one thing after the other reads no more while nobody reads what it says: nobody waits for the write.
      const written = probe.write(requests.map(({ line }) => line).join(''))
      await pause(300)
      probe.resume()
      await written
      await written
      await Promise.all(requests.map(({ id }) => probe.answerTo(id, limits.answerMs * 2)))
    },
  },
]

/** A line that hurts, and then the question whether it did. */
async function expectUnharmed(probe: Probe, bytes: string | Uint8Array, what: string): Promise<void> {
  await probe.write(bytes)
  await expectAlive(probe, what)
}
