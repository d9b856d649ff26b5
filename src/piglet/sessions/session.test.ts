import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { run } from '../../std/process.ts'
import { systemRandom } from '../../std/random.ts'
import { messageText, newUserMessage } from '../conversation/message.ts'
import { forkPigletSession, loadPigletSession, newPigletSession, type SessionContext } from './session.ts'
import { listPigletSessions, parseSessionFile } from './session-file.ts'

let context: SessionContext
beforeEach(() => {
  let now = Date.parse('2026-04-01T10:00:00Z')
  const dir = join(mkdtempSync(join(tmpdir(), 'entire-sessions-')), 'sessions')
  context = {
    dir,
    clock: () => {
      now += 1000
      return new Date(now)
    },
    random: systemRandom,
  }
})
afterEach(() => rmSync(join(context.dir, '..'), { recursive: true, force: true }))

const said = (text: string) => newUserMessage(text, [], context.clock())
const texts = (session: { messages(): Parameters<typeof messageText>[0][] }) =>
  session.messages().map(messageText)

describe('a session on disk', () => {
  test('is private, begins with a meta line, and every entry follows the one before it', async () => {
    const session = newPigletSession(context, { cwd: '/p', model: 'test/m' })
    expect(existsSync(session.path)).toBe(false)
    await session.addMessage(said('one'))
    await session.addMessage(said('two'))
    expect([statSync(session.path).mode & 0o777, statSync(context.dir).mode & 0o777]).toEqual([0o600, 0o750])
    const lines = readFileSync(session.path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toEqual([
      {
        type: 'meta',
        ts: expect.any(String),
        data: {
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
          cwd: '/p',
          model: 'test/m',
          createdAt: '2026-04-01T10:00:01.000Z',
        },
      },
      {
        type: 'user',
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        ts: expect.any(String),
        data: { role: 'user', content: 'one', timestamp: expect.any(String) },
      },
      {
        type: 'user',
        id: expect.any(String),
        parentId: lines[1].id,
        ts: expect.any(String),
        data: { role: 'user', content: 'two', timestamp: expect.any(String) },
      },
    ])
    expect(readdirSync(context.dir)).toEqual([session.path.split('/').at(-1) ?? ''])
  })

  test('files of the reference program are read: blocks without types, compactions, old lines without ids, broken lines', () => {
    const id = (n: number, parent: number | undefined) => ({
      id: `0000000${n}`,
      ...(parent === undefined ? {} : { parentId: `0000000${parent}` }),
      ts: '2026-04-01T10:00:00.5Z',
    })
    const lines = [
      {
        type: 'meta',
        ts: '2026-04-01T10:00:00Z',
        data: { id: 'abc', cwd: '/p', createdAt: '2026-04-01T10:00:00Z' },
      },
      { type: 'user', ...id(1, undefined), data: { content: 'q', timestamp: '2026-04-01T10:00:00Z' } },
      {
        type: 'assistant',
        ...id(2, 1),
        data: {
          content: [
            { thinking: 'hm' },
            { text: 'a' },
            { id: 'c1', name: 'read', arguments: { path: 'x' } },
            { id: 'c2', name: 'ls', arguments: null },
          ],
          model: 'm',
          provider: 'p',
          usage: { inputTokens: 3 },
          stopReason: 'toolUse',
        },
      },
      {
        type: 'tool_result',
        ...id(3, 2),
        data: {
          toolCallId: 'c1',
          toolName: 'read',
          content: [{ text: 'r' }, { data: 'aGk=', mimeType: 'image/png' }],
          isError: false,
        },
      },
      'half a li',
      { type: 'ext:x:y', ...id(4, 3), data: [1] },
      { type: 'custom_message', ...id(5, 4), data: { role: 'assistant', content: 'note' } },
      {
        type: 'meta',
        ts: '2026-04-01T10:00:09Z',
        data: { id: 'abc', cwd: '/p', createdAt: '2026-04-01T10:00:00Z', title: 'T' },
      },
    ]
    const write = (more: object[] = []) =>
      [...lines, ...more].map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
    const path = join(context.dir, 'abc.jsonl')
    const open = (text: string) => {
      mkdirSync(context.dir, { recursive: true })
      writeFileSync(path, text)
      return loadPigletSession(context, path)
    }
    const session = open(write())
    expect(session.meta().title).toBe('T')
    expect(session.messages()).toMatchObject([
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking' },
          { type: 'text', text: 'a' },
          { type: 'tool_use', id: 'c1' },
          { type: 'tool_use', id: 'c2', arguments: {} },
        ],
        usage: { inputTokens: 3, cost: 0 },
      },
      {
        role: 'tool_result',
        toolCallId: 'c1',
        tool_name: 'read',
        content: [
          { type: 'text', text: 'r' },
          { type: 'image', mimeType: 'image/png' },
        ],
      },
      {
        role: 'tool_result',
        toolCallId: 'c2',
        isError: true,
        content: [{ text: expect.stringMatching(/^\[error:TOOL_INTERRUPTED\]/) }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'note' }], model: 'custom', provider: 'custom' },
    ])
    const compact = {
      type: 'compact',
      ...id(6, 5),
      tokensBefore: 9,
      data: [{ type: 'user', ts: '0001-01-01T00:00:00Z', data: { content: 'short' } }],
    }
    expect(texts(open(write([compact, { type: 'user', ...id(7, 6), data: { content: 'next' } }])))).toEqual([
      'short',
      'next',
    ])
    const old = [
      lines[0],
      { type: 'user', ts: '', data: { content: 'o1' } },
      { type: 'user', ts: '', data: { content: 'o2' } },
    ]
    const older = open(old.map((line) => JSON.stringify(line)).join('\n'))
    expect([texts(older), older.infos().map((info) => [info.id, info.parentId])]).toEqual([
      ['o1', 'o2'],
      [
        ['L0', undefined],
        ['L1', 'L0'],
      ],
    ])
    expect(() => open('{"type":"user","id":"1","data":{}}\n')).toThrow('has no meta line')
  })

  test('a line that was cut off does not spoil the next, and an entry that is too large is refused without a trace', async () => {
    const session = newPigletSession(context, { cwd: '/p' })
    await session.addMessage(said('one'))
    appendFileSync(session.path, '{"type":"user","id":"ha')
    await session.addMessage(said('two'))
    expect(session.addMessage(said('x'.repeat(11 * 1024 * 1024)))).rejects.toThrow('does not fit')
    await session.addMessage(said('three'))
    expect(texts(loadPigletSession(context, session.path))).toEqual(['one', 'two', 'three'])
  })

  test('a line that could not be written is written with the next entry', async () => {
    const session = newPigletSession(context, { cwd: '/p' })
    mkdirSync(session.path, { recursive: true })
    await expect(session.addMessage(said('one'))).rejects.toThrow()
    rmSync(session.path, { recursive: true })
    await session.addMessage(said('two'))
    expect(texts(loadPigletSession(context, session.path))).toEqual(['one', 'two'])
  })

  test('two programs that write at once lose no line', async () => {
    const session = newPigletSession(context, { cwd: '/p' })
    await session.change({})
    const script = `import { loadPigletSession } from '${import.meta.dir}/session.ts'
      const context = { dir: '${context.dir}', clock: () => new Date(), random: (bytes) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex') }
      const session = loadPigletSession(context, '${session.path}')
      for (let n = 0; n < 50; n += 1) await session.addMessage({ role: 'user', content: process.argv[1] + n, timestamp: '' })`
    const write = (name: string) =>
      run([process.execPath, '-e', script, name], { cwd: context.dir, env: process.env })
    const done = await Promise.all([write('a'), write('b')])
    expect(done.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const content = parseSessionFile(readFileSync(session.path, 'utf8'))
    expect(content?.entries.size).toBe(100)
    expect(readFileSync(session.path, 'utf8').trim().split('\n').length).toBe(101)
  }, 60_000)
})

describe('the tree of a session', () => {
  test('branching, labels and resetting keep the other entries', async () => {
    const session = newPigletSession(context, { cwd: '/p' })
    const first = await session.addMessage(said('a'.repeat(70)))
    await session.addMessage(said('left'))
    await session.branch(first.id, 'was nothing')
    await session.addMessage(said('right'))
    await session.label(first.id, 'here')
    expect(texts(session)).toEqual(['a'.repeat(70), 'right'])
    expect(texts(loadPigletSession(context, session.path))).toEqual(['a'.repeat(70), 'right'])
    expect(
      session
        .fullTree()
        .map(({ type, depth, onActivePath, children, preview, label }) => [
          type,
          depth,
          onActivePath,
          children,
          preview,
          label,
        ]),
    ).toEqual([
      ['user', 0, true, 2, `${'a'.repeat(60)}...`, 'here'],
      ['branch_summary', 1, true, 1, undefined, undefined],
      ['user', 2, true, 1, 'right', undefined],
      ['label', 3, true, 0, undefined, undefined],
      ['user', 1, false, 0, 'left', undefined],
    ])
    await session.label(first.id, '')
    await session.reset()
    expect([
      texts(session),
      session.infos().length,
      session.fullTree().filter(({ depth }) => depth === 0).length,
    ]).toEqual([[], 1, 2])
    expect(session.fullTree()[0]?.label).toBeUndefined()
    await expect(session.branch('none', '')).rejects.toThrow('entry none not found')
  })

  test('a fork is a session of its own that records its parent', async () => {
    const session = newPigletSession(context, { cwd: '/p', model: 'test/m' })
    await session.addMessage(said('one'))
    const { session: fork, count } = await forkPigletSession(context, session)
    const metas = readFileSync(fork.path, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"meta"'))
    expect([count, metas.length, fork.meta()]).toMatchObject([
      1,
      2,
      { model: 'test/m', parentId: session.meta().id, forkPoint: 1, cwd: '/p' },
    ])
    await fork.addMessage(said('two'))
    expect([texts(session), texts(loadPigletSession(context, fork.path))]).toEqual([['one'], ['one', 'two']])
    writeFileSync(join(context.dir, 'bad.jsonl'), 'nothing\n')
    expect((await listPigletSessions(context.dir)).map(({ id }) => id)).toEqual([
      fork.meta().id,
      session.meta().id,
    ])
    expect(await listPigletSessions(join(context.dir, 'none'))).toEqual([])
  })

  test('after any changes it is the same when loaded again', async () => {
    const act = fc.oneof(
      fc.record({ do: fc.constant('say' as const), text: fc.string({ unit: 'grapheme' }) }),
      fc.record({
        do: fc.constantFrom('branch' as const, 'label' as const),
        at: fc.nat(20),
        text: fc.string(),
      }),
      fc.record({
        do: fc.constantFrom('reset' as const, 'replace' as const, 'own' as const, 'title' as const),
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 20 }), async (acts) => {
        const session = newPigletSession(context, { cwd: '/p' })
        await session.change({})
        for (const one of acts) {
          const ids = session.fullTree().map(({ id }) => id)
          const target = 'at' in one ? ids[one.at % Math.max(ids.length, 1)] : undefined
          if (one.do === 'say') await session.addMessage(said(one.text))
          else if (one.do === 'reset') await session.reset()
          else if (one.do === 'replace') await session.addReplacement(session.messages().slice(-1), 7)
          else if (one.do === 'own') await session.addOwn('ext:a:b', { x: [1, null] })
          else if (one.do === 'title') await session.change({ title: 'T' })
          else if (target && 'text' in one)
            await (one.do === 'branch' ? session.branch(target, one.text) : session.label(target, one.text))
        }
        const again = loadPigletSession(context, session.path)
        expect([again.meta(), again.messages(), again.fullTree(), again.infos()]).toEqual([
          session.meta(),
          session.messages(),
          session.fullTree(),
          session.infos(),
        ])
      }),
      { numRuns: 30 },
    )
  }, 60_000)
})
