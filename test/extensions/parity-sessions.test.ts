// Session files are compatible both ways: a second reader, written from the description of the format alone,
// reads the files of piglet, and piglet reads those of the reference program.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Piglet } from '../../src/piglet/piglet.ts'
import { ask, asker, type Stage, stage } from './piglet-stage.ts'
import { listStrictly, readStrictly } from './session-reader.ts'

let on: Stage
beforeEach(async () => {
  on = await stage()
  asker(on)
})
afterEach(async () => {
  await on[Symbol.asyncDispose]()
})

const pathOf = (piglet: Piglet) => piglet.services.current.session().path
const read = (piglet: Piglet) => readStrictly(pathOf(piglet))

describe('a session that piglet writes', () => {
  test('8.1, 8.2 is a private file of lines, with messages of all kinds', async () => {
    const piglet = await on.open()
    on.model.say({ thinking: 'hm', text: 'see', calls: [{ name: 'ls', id: 'c1' }] }, 'done')
    piglet.app.act({ type: 'attachImage', data: 'aGk=', mimeType: 'image/png' }, 'x')
    await piglet.run('look')
    await ask(piglet, 'host/appendCustomMessage', { role: 'assistant', content: 'by hand' })
    await ask(piglet, 'host/appendSessionEntry', { kind: 'ext:asker:x', data: { a: 1 } })
    const { meta, nodes, messages } = read(piglet)
    expect(meta).toEqual({
      id: piglet.app.sessionId(),
      cwd: on.cwd,
      model: 'test/m1',
      createdAt: expect.any(String),
    })
    expect([...nodes.keys()].every((id) => /^[0-9a-f]{8}$/.test(id))).toBe(true)
    expect(messages).toEqual([
      'user: look <image/png>',
      'assistant: (hm) see ls({})',
      'result of c1: (empty)',
      'assistant: done',
      'assistant: by hand',
    ])
    const dir = join(on.configDir, 'sessions')
    expect([statSync(pathOf(piglet)).mode & 0o777, statSync(dir).mode & 0o777]).toEqual([0o600, 0o750])
    expect(readdirSync(dir).filter((name) => !name.endsWith('.jsonl'))).toEqual([])
  })

  test('8.3 every entry follows the last one, labels and own entries too, and the last line is the leaf', async () => {
    const piglet = await on.open()
    await piglet.run('a')
    const first = piglet.services.current.session().infos()[0]?.id
    await ask(piglet, 'host/setLabel', { targetId: first, label: 'l' })
    await piglet.run('b')
    const { nodes, leaf } = read(piglet)
    const list = [...nodes.values()]
    expect(list.map(({ type }) => type)).toEqual(['user', 'assistant', 'label', 'user', 'assistant'])
    expect(list.map(({ parentId }) => parentId)).toEqual([
      undefined,
      ...list.slice(0, -1).map(({ id }) => id),
    ])
    expect(leaf).toBe(list.at(-1)?.id)
  })

  test('8.4, 8.5 branching and resetting add summaries with another parent', async () => {
    const piglet = await on.open()
    await piglet.run('a')
    await piglet.run('b')
    const [, answer, , left] = piglet.services.current.session().infos()
    await ask(piglet, 'host/branchSessionWithSummary', { entryId: answer?.id, summary: 'b was no good' })
    const branched = read(piglet)
    expect(branched.nodes.get(branched.leaf ?? '')).toMatchObject({
      parentId: answer?.id,
      type: 'branch_summary',
      data: { summary: 'b was no good', fromId: left?.id },
    })
    expect(branched.messages).toEqual(['user: a', 'assistant: ok'])
    await ask(piglet, 'host/resetSessionLeaf', {})
    const reset = read(piglet)
    expect(reset.nodes.get(reset.leaf ?? '')?.parentId).toBeUndefined()
    expect(reset.messages).toEqual([])
    await piglet.run('c')
    expect(read(piglet).messages).toEqual(['user: c', 'assistant: ok'])
  })

  test('a replaced conversation is one entry, with the tokens it had', async () => {
    const piglet = await on.open()
    await piglet.run('a')
    await piglet.services.current
      .conversation()
      .replace(piglet.services.current.conversation().messages().slice(1), 77)
    await piglet.run('b')
    expect(read(piglet).messages).toEqual(['assistant: ok', 'user: b', 'assistant: ok'])
    const line = readFileSync(pathOf(piglet), 'utf8')
      .split('\n')
      .find((one) => one.includes('"compact"'))
    expect(JSON.parse(line ?? '')).toMatchObject({
      tokensBefore: 77,
      data: [{ type: 'assistant', ts: '0001-01-01T00:00:00Z' }],
    })
  })

  test('8.7, 8.8 a fork has two meta lines, new ids and all messages; the newest session comes first', async () => {
    let ticks = 0
    const clock = () => {
      ticks += 1
      return new Date(Date.parse('2026-05-01T10:00:00Z') + ticks * 1000)
    }
    const piglet = await on.open({ clock })
    await piglet.run('a')
    const [old, oldPath] = [piglet.app.sessionId(), pathOf(piglet)]
    await ask(piglet, 'host/forkSession')
    const copy = read(piglet)
    expect([copy.metaLines, copy.meta]).toEqual([
      2,
      {
        id: piglet.app.sessionId(),
        cwd: on.cwd,
        model: 'test/m1',
        createdAt: expect.any(String),
        parentId: old,
        forkPoint: 2,
      },
    ])
    expect(copy.messages).toEqual(readStrictly(oldPath).messages)
    expect([...copy.nodes.keys()].filter((id) => readStrictly(oldPath).nodes.has(id))).toEqual([])
    const { sessions } = await ask(piglet, 'host/sessions')
    expect(sessions.map(({ id }: { id: string }) => id)).toEqual(listStrictly(join(on.configDir, 'sessions')))
    expect(sessions[0].id).toBe(piglet.app.sessionId())
  })

  test('a new meta line follows a change of title or model, but not in a session without entries', async () => {
    const piglet = await on.open()
    await ask(piglet, 'host/switchModel', { modelId: 'test/m2' })
    expect(readdirSync(on.configDir)).not.toContain('sessions')
    await piglet.run('a')
    expect(read(piglet).meta.model).toBe('test/m2')
    await ask(piglet, 'host/setSessionTitle', { title: 'T' })
    await ask(piglet, 'host/switchModel', { modelId: 'test/m1' })
    await piglet.run('b')
    const { meta, metaLines } = read(piglet)
    expect([metaLines, meta]).toEqual([
      3,
      {
        id: piglet.app.sessionId(),
        cwd: on.cwd,
        model: 'test/m1',
        title: 'T',
        createdAt: expect.any(String),
      },
    ])
  })
})

describe('a session that the reference program writes', () => {
  const at = '2026-04-24T10:00:00.123456789+02:00'
  const line = (fields: object) => JSON.stringify({ ts: at, ...fields })
  const usage = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0.5 }
  const id = '6b1c1f04-6b59-4b5f-9a53-0d6b2f8b9a11'

  test('blocks without types, compactions, custom messages, branches, broken lines, fractions of seconds', async () => {
    on.write(
      `config/sessions/${id}.jsonl`,
      [
        line({ type: 'meta', data: { id, cwd: '/p', createdAt: at } }),
        line({ type: 'user', id: '00000001', data: { content: 'one', timestamp: at } }),
        'broken',
        line({
          type: 'assistant',
          id: '00000002',
          parentId: '00000001',
          data: {
            content: [
              { thinking: 'hm' },
              { text: '' },
              {},
              { id: 'c', name: 'ls', arguments: null },
              { name: 'odd', arguments: {} },
            ],
            model: 'm',
            provider: 'p',
            usage,
            stopReason: 'toolUse',
            timestamp: at,
          },
        }),
        line({
          type: 'tool_result',
          id: '00000003',
          parentId: '00000002',
          data: {
            toolCallId: 'c',
            toolName: 'ls',
            content: [{}, { data: 'AA==', mimeType: 'image/png' }],
            isError: false,
            timestamp: at,
          },
        }),
        line({
          type: 'branch_summary',
          id: '00000004',
          parentId: '00000001',
          data: { summary: '', fromId: '00000003' },
        }),
        line({
          type: 'custom_message',
          id: '00000005',
          parentId: '00000004',
          data: { role: 'assistant', content: 'by hand' },
        }),
        line({ type: 'ext:x:y', id: '00000006', parentId: '00000005', data: [1] }),
        line({
          type: 'label',
          id: '00000007',
          parentId: '00000006',
          data: { targetId: '00000003', label: 'there' },
        }),
        line({ type: 'meta', data: { id, cwd: '/p', createdAt: at, title: 'T' } }),
      ].join('\n'),
    )
    const piglet = await on.open({ session: id })
    const messages = async () => (await ask(piglet, 'host/conversationMessages')).messages
    expect(await messages()).toMatchObject([
      { role: 'user', content: 'one' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'by hand' }],
        model: 'custom',
        provider: 'custom',
      },
    ])
    expect(await ask(piglet, 'host/sessionTitle')).toEqual({ title: 'T' })
    // The active branch first, then the rest.
    const { nodes } = await ask(piglet, 'host/sessionFullTree')
    expect(nodes.map((node: { id: string; depth: number }) => `${node.depth} ${node.id.slice(-1)}`)).toEqual([
      '0 1',
      '1 4',
      '2 5',
      '3 6',
      '4 7',
      '1 2',
      '2 3',
    ])
    expect(nodes[6]).toMatchObject({ label: 'there', onActivePath: false, children: 0, parentId: '00000002' })
    await ask(piglet, 'host/branchSession', { entryId: '00000003' })
    expect(await messages()).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: '' },
          { type: 'text', text: '' },
          { type: 'tool_use', id: 'c', name: 'ls', arguments: {} },
          { type: 'tool_use', id: '', name: 'odd' },
        ],
      },
      {
        toolCallId: 'c',
        tool_call_id: 'c',
        tool_name: 'ls',
        is_error: false,
        content: [
          { type: 'text', text: '' },
          { type: 'image', mimeType: 'image/png' },
        ],
      },
      { toolCallId: '', isError: true },
    ])
    await piglet.run('on')
    expect(read(piglet).messages.at(-1)).toBe('assistant: ok')
  })

  test('8.6 siblings are sorted by time, wherever they are in the file', async () => {
    const minute = (n: number) => `2026-04-24T10:0${n}:00Z`
    on.write(
      `config/sessions/${id}.jsonl`,
      [
        line({ type: 'meta', data: { id, cwd: '/p', createdAt: at } }),
        { type: 'user', id: 'b', ts: minute(5), data: { content: 'later root', timestamp: at } },
        { type: 'user', id: 'a', ts: minute(1), data: { content: 'x'.repeat(61), timestamp: at } },
        { type: 'note', id: 'a2', parentId: 'a', ts: minute(4), data: 1 },
        { type: 'note', id: 'a1', parentId: 'a', ts: minute(3), data: 1 },
        { type: 'note', id: 'a9', parentId: 'a', ts: minute(9), data: 1 },
      ]
        .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
        .join('\n'),
    )
    const { nodes } = await ask(await on.open({ session: id }), 'host/sessionFullTree')
    expect(nodes.map((node: { id: string }) => node.id)).toEqual(['a', 'a9', 'a1', 'a2', 'b'])
    expect([nodes[0].preview, nodes[0].children]).toEqual([`${'x'.repeat(60)}...`, 3])
  })

  test('8.3 old lines without ids form a chain, and a file without a meta line is not a session', async () => {
    on.write(
      `config/sessions/${id}.jsonl`,
      [
        line({ type: 'meta', data: { id, cwd: '/p', createdAt: at } }),
        line({ type: 'user', data: { content: 'one', timestamp: at } }),
        line({
          type: 'compact',
          data: [{ type: 'user', data: { content: 'short', timestamp: at }, ts: '0001-01-01T00:00:00Z' }],
          tokensBefore: 9,
        }),
        line({ type: 'user', data: { content: 'two', timestamp: at } }),
      ].join('\n'),
    )
    on.write(
      'config/sessions/none.jsonl',
      line({ type: 'user', id: 'x', data: { content: 'a', timestamp: at } }),
    )
    const piglet = await on.open({ session: id })
    const { messages } = await ask(piglet, 'host/conversationMessages')
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(['short', 'two'])
    const { entries } = await ask(piglet, 'host/sessionEntryInfos')
    expect(
      entries.map(({ id: one, parentId }: { id: string; parentId?: string }) => [one, parentId]),
    ).toEqual([
      ['L0', undefined],
      ['L1', 'L0'],
      ['L2', 'L1'],
    ])
    await expect(
      ask(piglet, 'host/loadSession', { path: join(on.configDir, 'sessions/none.jsonl') }),
    ).rejects.toThrow('no meta line')
    expect((await ask(piglet, 'host/sessions')).sessions.map((one: { id: string }) => one.id)).toEqual([id])
  })
})
