// Defines the rules on reading, cutting and joining transcripts: every byte must survive.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { oneLineExcerpt } from '../../../protocol/external-agent/answer.ts'
import { isInside } from '../../../std/program-search.ts'
import { BrokenRule, hold } from '../rule.ts'
import {
  type AgentRule,
  type AgentTrial,
  brokenJson,
  hookInput,
  sampleSession,
  sampleSessionBytes,
  sampleSessionId,
  writeSample,
} from './trial.ts'

const lines = Buffer.from('{"text":"The quick brown fox jumps over the lazy dog."}\n'.repeat(100))

/** Contents that are damaged when bytes are treated as text. */
const contents: Record<string, Buffer> = {
  lines,
  'a last line without newline': Buffer.concat([lines, Buffer.from('{"last":true}')]),
  'Windows line ends': Buffer.from(lines.toString('utf8').replaceAll('\n', '\r\n')),
  'blank lines': Buffer.from('\n\n{"a":1}\n\n\n{"b":2}\n\n'.repeat(60)),
  'letters of several bytes': Buffer.from('{"text":"Grüße, 世界 🌍"}\n'.repeat(80)),
  'one JSON document': Buffer.from(
    JSON.stringify({ messages: Array.from({ length: 60 }, (_, id) => ({ id, text: 'a, b' })) }, null, 2),
  ),
  'bytes that are not text': Buffer.from(
    Array.from({ length: 4000 }, (_, at) => (at % 37 === 0 ? 10 : (at * 31) % 256)),
  ),
  nothing: Buffer.alloc(0),
}

export const transcriptRules: AgentRule[] = [
  {
    id: 'read-session/answers',
    title: '`read-session` returns a session with its transcript',
    level: 'must',
    needs: ['info/name', 'resolve-session-file/inside'],
    run: async (trial) => {
      const written = await placeSession(trial)
      const session = await trial.ask('read-session', {}, hookInput(sampleSessionId, written.session_ref))
      for (const field of ['session_id', 'agent_name', 'repo_path', 'session_ref', 'native_data'] as const) {
        hold(session[field] === written[field], {
          expected: `${field} ${JSON.stringify(written[field])}`,
          received: JSON.stringify(session[field] ?? null),
          fix: 'Return what the file of the session holds: `native_data` is the transcript as base64.',
        })
      }
    },
  },
  {
    id: 'read-session/bad-json',
    title: '`read-session` refuses input that is not JSON',
    level: 'must',
    needs: ['read-session/answers'],
    run: ({ refuse }) => refuse(['read-session'], brokenJson, 'stdin is not JSON'),
  },
  {
    id: 'read-transcript/bytes',
    title: '`read-transcript` returns the bytes of the file of a session',
    level: 'must',
    needs: ['resolve-session-file/inside'],
    run: async (trial) => {
      const written = await placeSession(trial)
      const bytes = await trial.bytes('read-transcript', { 'session-ref': written.session_ref })
      expectSameBytes(
        bytes,
        sampleSessionBytes,
        'Copy the file to stdout as it is, without an extra newline.',
      )
    },
  },
  {
    id: 'write-session/bytes',
    title: 'What `write-session` stores, `read-transcript` returns',
    level: 'should',
    needs: ['write-session/answers', 'read-transcript/bytes'],
    run: async (trial) => {
      const written = await writeSample(trial)
      const bytes = await trial.bytes('read-transcript', { 'session-ref': written.session_ref })
      expectSameBytes(
        bytes,
        sampleSessionBytes,
        'Store the decoded `native_data` alone, not the message it came in. Until then entire puts it in place.',
      )
    },
  },
  {
    id: 'read-transcript/missing',
    title: '`read-transcript` fails when there is no transcript',
    level: 'must',
    needs: ['read-transcript/bytes'],
    run: ({ refuse, root }) =>
      refuse(
        ['read-transcript', '--session-ref', join(root, 'no-such-session.jsonl')],
        undefined,
        'there is no such file',
      ),
  },
  {
    id: 'chunk-transcript/small',
    title: 'A small transcript is one chunk',
    level: 'must',
    run: async ({ ask }) => {
      const { chunks } = await ask('chunk-transcript', { 'max-size': 1_048_576 }, 'small content')
      hold(chunks.length === 1, {
        expected: '1 chunk',
        received: `${chunks.length}`,
        fix: 'Cut only what is larger than --max-size.',
      })
    },
  },
  {
    id: 'chunk-transcript/size',
    title: 'Chunks are no larger than requested',
    level: 'must',
    needs: ['chunk-transcript/small'],
    run: async ({ ask }) => {
      const { chunks } = await ask('chunk-transcript', { 'max-size': 512 }, lines)
      const sizes = chunks.map((chunk) => Buffer.from(chunk, 'base64').length)
      hold(chunks.length > 1 && Math.max(...sizes) <= 512, {
        expected: `several chunks of at most 512 bytes, from ${lines.length}`,
        received: `chunks of ${sizes.slice(0, 12).join(', ')} bytes`,
        fix: 'Measure bytes before they are encoded, and cut at the end of a line or message.',
      })
    },
  },
  {
    id: 'chunk-transcript/round-trip',
    title: 'Joined chunks are exactly the bytes that were cut',
    level: 'must',
    needs: ['chunk-transcript/size'],
    run: async (trial) => {
      for (const [name, bytes] of Object.entries(contents)) await roundTrip(trial, name, bytes, 512)
    },
  },
  {
    id: 'chunk-transcript/large',
    title: 'A transcript of 6 MB is cut and joined',
    level: 'must',
    needs: ['chunk-transcript/round-trip'],
    run: (trial) => roundTrip(trial, '6 MB', Buffer.alloc(6 * 1024 * 1024, lines), 1024 * 1024),
  },
  {
    id: 'chunk-transcript/max-size-zero',
    title: '`--max-size 0` is refused',
    level: 'must',
    needs: ['chunk-transcript/small'],
    run: ({ refuse }) =>
      refuse(['chunk-transcript', '--max-size', '0'], 'text', 'no chunk can be that small'),
  },
  {
    id: 'chunk-transcript/max-size-word',
    title: 'A `--max-size` that is not a positive number is refused',
    level: 'should',
    needs: ['chunk-transcript/small'],
    run: async ({ refuse }) => {
      await refuse(['chunk-transcript', '--max-size', 'many'], 'text', 'it is not a number')
      await refuse(['chunk-transcript', '--max-size', '-5'], 'text', 'no chunk can be that small')
    },
  },
  {
    id: 'reassemble-transcript/bad-json',
    title: '`reassemble-transcript` refuses input that is not JSON',
    level: 'must',
    needs: ['chunk-transcript/round-trip'],
    run: ({ refuse }) => refuse(['reassemble-transcript'], '{"chunks":', 'stdin is not JSON'),
  },
  {
    id: 'reassemble-transcript/bad-base64',
    title: '`reassemble-transcript` refuses a chunk that is not base64',
    level: 'should',
    needs: ['chunk-transcript/round-trip'],
    run: ({ refuse }) => refuse(['reassemble-transcript'], { chunks: ['!!!!'] }, 'a chunk is not base64'),
  },
  {
    id: 'format-resume-command/answers',
    title: '`format-resume-command` returns a command',
    level: 'must',
    run: async ({ ask }) => {
      await ask('format-resume-command', { 'session-id': sampleSessionId })
    },
  },
]

async function roundTrip(
  { ask, bytes: call }: AgentTrial,
  name: string,
  bytes: Buffer,
  max: number,
): Promise<void> {
  const answer = await ask('chunk-transcript', { 'max-size': max }, bytes)
  const joined = await call('reassemble-transcript', {}, answer)
  expectSameBytes(joined, bytes, `Treat transcripts as bytes, not as text. This one had: ${name}.`)
}

export function expectSameBytes(received: Buffer, expected: Buffer, fix: string): void {
  if (received.equals(expected)) return
  const at = expected.findIndex((byte, index) => byte !== received[index])
  const from = at === -1 ? expected.length : at
  const show = (bytes: Buffer) =>
    `${bytes.length} bytes, from byte ${from} on: ${oneLineExcerpt(bytes.toString('utf8', from, from + 60), 60)}`
  throw new BrokenRule({ expected: show(expected), received: show(received), fix })
}

// As the agent itself would. A plugin that keeps its sessions elsewhere has to write them.
async function placeSession(trial: AgentTrial): Promise<Awaited<ReturnType<typeof sampleSession>>> {
  const session = await sampleSession(trial)
  if (![trial.root, trial.home].some((dir) => isInside(session.session_ref, dir)))
    return await writeSample(trial)
  mkdirSync(dirname(session.session_ref), { recursive: true })
  writeFileSync(session.session_ref, sampleSessionBytes)
  return session
}
