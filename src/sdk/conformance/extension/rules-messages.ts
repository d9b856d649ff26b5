// Defines the rules on lines in pieces, too long or damaged, and on every message of all trials.

import { maxLineBytes } from '../../../protocol/extension/table.ts'
import { hold } from '../rule.ts'
import type { Probe } from './probe.ts'
import { expectAlive, unknownMethod, unknownMethodRule } from './rules-requests.ts'
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
    title: 'Every line that it writes to the channel is a message',
    level: 'must',
    expected: 'one JSON-RPC message per line: integers as ids, and a method in requests and notices',
    fix: 'Print messages for people on standard error, and write each message and its newline in one piece.',
  },
  envelope: {
    title: 'Every message has "jsonrpc": "2.0"',
    level: 'should',
    expected: '"jsonrpc": "2.0"',
    fix: 'Add it: other hosts may require it.',
  },
  known: {
    title: 'Every request and notice is one that hosts know',
    level: 'must',
    expected: 'a method of the protocol reference, with an id exactly when it is a request',
    fix: 'Look the name up in the reference. Unknown requests fail, and unknown notices are dropped.',
  },
  schema: {
    title: 'Every request and notice has its required fields',
    level: 'must',
    expected: 'params as in the protocol reference',
    fix: 'Correct the named field.',
  },
  registrations: {
    title: 'Every registration has its required fields',
    level: 'must',
    expected: 'params as in the protocol reference, and no empty name',
    fix: 'Correct the named field: such a registration is ignored.',
  },
  'in-time': {
    title: 'Nothing is registered after the answer to `initialize`',
    level: 'must',
    expected: 'every registration before the answer to `initialize`',
    fix: 'Register first, then answer: later registrations are ignored.',
  },
  permissions: {
    title: 'Every request is covered by the permissions of the manifest',
    level: 'must',
    expected: 'only requests that `permissions` covers',
    fix: 'Add the permission to the manifest, or leave the request out.',
  },
  answers: {
    title: 'Every answer has its required fields',
    level: 'must',
    expected: 'a result as in the protocol reference',
    fix: 'Correct the named field: such an answer counts as an error.',
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
    fix: 'Shorten texts and images: other hosts stop reading at such a line.',
  },
  'one-way': {
    title: 'It uses one channel only',
    level: 'must',
    expected: 'messages on one channel: descriptors 3 and 4 when PIGLET_FD=1, else standard input and output',
    fix: 'Answer on the channel of the request. A host that offers both reads the one of the first message.',
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

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export const framingRules: ExtensionRule[] = [
  {
    id: 'framing/fragmented',
    title: 'A line that arrives in pieces is one line',
    level: 'must',
    needs: [unknownMethodRule],
    run: async ({ start }) => {
      const probe = await start()
      // Two pieces end within a character, and the last piece is the newline.
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
    title: 'Lines that arrive together are all read, and empty ones are ignored',
    level: 'must',
    needs: [unknownMethodRule],
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
    needs: [unknownMethodRule],
    run: async ({ start, limits }) => {
      const probe = await start()
      // Shells read byte by byte, which is allowed and slow.
      await probe.ask(unknownMethod, { text: 'x'.repeat(maxLineBytes - 1024) }, limits.answerMs * 4)
    },
  },
  {
    id: 'framing/too-long',
    title: 'It survives a line of 5 MiB',
    level: 'should',
    needs: [unknownMethodRule],
    run: async ({ start, limits }) => {
      const probe = await start()
      await probe.write(`{"method":"${unknownMethod}","params":"${'x'.repeat(5 * 1024 * 1024)}"}\n`)
      await expectAlive(probe, 'a line of 5 MiB', limits.answerMs * 4)
    },
  },
  {
    id: 'framing/garbage',
    title: 'Lines that are not messages are skipped',
    level: 'should',
    needs: [unknownMethodRule],
    run: async ({ start }) =>
      expectSurvives(
        await start(),
        'no message\n[]\n17\n{"jsonrpc":"2.0"}\n{"id":9999,"result":{}}\n',
        'lines that are not messages',
      ),
  },
  {
    id: 'framing/bad-utf8',
    title: 'It survives bytes that are not UTF-8',
    level: 'should',
    needs: [unknownMethodRule],
    run: async ({ start }) => {
      // Latin-1, because its characters are single bytes.
      const bytes = Buffer.from(
        `{"jsonrpc":"2.0","method":"${unknownMethod}","params":{"text":"\xff\xfe\xc3(\xed\xa0\x80"}}\n`,
        'latin1',
      )
      await expectSurvives(await start(), bytes, 'a line that is not UTF-8')
    },
  },
  {
    id: 'framing/slow-reader',
    title: 'Answers are whole when the host is slow to read them',
    level: 'must',
    needs: [unknownMethodRule],
    run: async ({ start, limits }) => {
      const probe = await start()
      probe.pause()
      const requests = Array.from({ length: 1500 }, () =>
        probe.lineFor(`${unknownMethod}-${'x'.repeat(400)}`),
      )
      // Not awaited here: an extension that works sequentially stops reading while its answers are not read.
      const written = probe.write(requests.map(({ line }) => line).join(''))
      await pause(300)
      probe.resume()
      await written
      await Promise.all(requests.map(({ id }) => probe.answerTo(id, limits.answerMs * 2)))
    },
  },
]

/** Writes damaged lines; the extension must still answer afterwards. */
async function expectSurvives(probe: Probe, bytes: string | Uint8Array, what: string): Promise<void> {
  await probe.write(bytes)
  await expectAlive(probe, what)
}
