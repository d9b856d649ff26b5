// Rules about every message of every trial: looked at last, when all of them are there.

import { maxLineBytes } from '../../../protocol/extension/table.ts'
import { hold } from '../rule.ts'
import type { Probe } from './probe.ts'
import { expectAlive, stillThere, unknownMethod } from './rules-requests.ts'
import type { ExtensionRule } from './trial.ts'
import type { WireFault } from './wire-log.ts'

interface MessageRule {
  title: string
  level: ExtensionRule['level']
  expected: string
  fix: string
}

const table: Record<WireFault, MessageRule> = {
  json: {
    title: 'Every line it writes to the channel is a message',
    level: 'must',
    expected: 'one JSON-RPC message per line: whole numbers as ids, and a method in what is no answer',
    fix: 'Print what is for people on standard error, and write each message with its newline in one piece.',
  },
  envelope: {
    title: 'Every message says "jsonrpc": "2.0"',
    level: 'should',
    expected: '"jsonrpc": "2.0"',
    fix: 'Add it: other hosts may look at it.',
  },
  known: {
    title: 'Everything it asks and tells is something hosts know',
    level: 'must',
    expected: 'a method of the protocol reference, with an id exactly when it is a request',
    fix: 'Look the name up in the reference. Requests that nobody knows fail, and such notices are dropped.',
  },
  schema: {
    title: 'What it asks and tells has the fields it must have',
    level: 'must',
    expected: 'params as in the protocol reference',
    fix: 'Correct the field that is named.',
  },
  registrations: {
    title: 'Every registration has the fields it must have',
    level: 'must',
    expected: 'params as in the protocol reference, and no empty name',
    fix: 'Correct the field that is named: such a registration is ignored.',
  },
  'in-time': {
    title: 'Nothing is registered after the answer to `initialize`',
    level: 'must',
    expected: 'every registration before the answer to `initialize`',
    fix: 'Register first, then answer: what comes later is ignored.',
  },
  permissions: {
    title: 'What it asks for is among the permissions that its manifest lists',
    level: 'must',
    expected: 'nothing beyond `permissions`',
    fix: 'Add the permission to the manifest, or do without.',
  },
  answers: {
    title: 'Answers have the fields they must have',
    level: 'must',
    expected: 'a result as in the protocol reference',
    fix: 'Correct the field that is named: such an answer counts as an error.',
  },
  'one-answer': {
    title: 'Every request is answered once, under its own id',
    level: 'must',
    expected: 'one answer per request, with its id',
    fix: 'Keep the id of a request until it is answered, and answer once.',
  },
  length: {
    title: 'No line is 4 MiB or longer',
    level: 'must',
    expected: 'lines below 4 MiB',
    fix: 'Cut long texts and images: other hosts stop reading at such a line for good.',
  },
  'one-way': {
    title: 'It talks on one way only',
    level: 'must',
    expected: 'messages on one way: descriptors 3 and 4 when PIGLET_FD=1, else standard input and output',
    fix: 'ProbeAnswer where you were asked. A host that offers both ways listens where the first message came.',
  },
}

export const messageRules: ExtensionRule[] = (Object.keys(table) as WireFault[]).map((fault) => {
  const { title, level, expected, fix } = table[fault]
  return {
    id: `messages/${fault}`,
    title,
    level,
    isLast: true,
    run: async ({ log }) => {
      const [first, ...more] = log.find(fault)
      hold(first === undefined, {
        expected,
        received: `${first}${more.length === 0 ? '' : ` (and ${more.length} more)`}`,
        fix,
      })
    },
  }
})

// Lines that arrive in pieces, together, very long, or damaged, and a host that is slow to read.

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export const framingRules: ExtensionRule[] = [
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
      const cuts = [
        1,
        20,
        bytes.indexOf(Buffer.from('ü')) + 1,
        bytes.indexOf(Buffer.from('🐖')) + 2,
        bytes.length - 1,
        bytes.length,
      ]
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
      expectUnharmed(
        await start(),
        'no message\n[]\n17\n{"jsonrpc":"2.0"}\n{"id":9999,"result":{}}\n',
        'lines that are no messages',
      ),
  },
  {
    id: 'framing/bad-utf8',
    title: 'Bytes that are no text do no harm',
    level: 'should',
    needs: [stillThere],
    run: async ({ start }) => {
      // Latin-1, because its characters are single bytes.
      const bytes = Buffer.from(
        `{"jsonrpc":"2.0","method":"${unknownMethod}","params":{"text":"\xff\xfe\xc3(\xed\xa0\x80"}}\n`,
        'latin1',
      )
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
      const requests = Array.from({ length: 1500 }, () =>
        probe.lineFor(`${unknownMethod}-${'x'.repeat(400)}`),
      )
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
