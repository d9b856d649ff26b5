import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UserQuestion } from '../../src/piglet/view.ts'
import { until } from '../support/until.ts'
import { ask, asker, type Stage, stage } from './piglet-stage.ts'

let on: Stage
beforeEach(async () => {
  on = await stage()
  asker(on)
})
afterEach(async () => {
  await on[Symbol.asyncDispose]()
})

describe('sessions', () => {
  test('the conversation, its statistics and what the model would see', async () => {
    const piglet = await on.open()
    on.model.say({
      text: 'hello',
      usage: {
        prompt_tokens: 1_000_000,
        completion_tokens: 500_000,
        prompt_tokens_details: { cached_tokens: 0 },
      },
    })
    await piglet.run('hi')
    const { messages } = await ask(piglet, 'host/conversationMessages')
    expect(messages).toMatchObject([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'hello' }],
        model: 'm1',
        provider: 'test',
        stopReason: 'stop',
      },
    ])
    expect(await ask(piglet, 'host/lastAssistantText')).toEqual({ text: 'hello' })
    expect(await ask(piglet, 'host/sessionStats')).toEqual({
      turnCount: 1,
      totalInputTokens: 1_000_000,
      totalOutputTokens: 500_000,
      totalCacheReadTokens: 0,
      totalCacheWriteTokens: 0,
      totalCost: 2,
      model: 'test/m1',
    })
    const snapshot = await ask(piglet, 'host/llmSnapshot')
    expect([snapshot.messages.length, snapshot.tools.length, snapshot.system.length > 0]).toEqual([
      2,
      7,
      true,
    ])
    await ask(piglet, 'host/setConversationMessages', { messages: null })
    expect((await ask(piglet, 'host/conversationMessages')).messages).toEqual([])
    const again = await on.open({ session: piglet.app.sessionId() as string })
    expect((await ask(again, 'host/conversationMessages')).messages).toEqual([])
  })

  test('titles, labels, own entries and messages succeed and are on disk', async () => {
    const piglet = await on.open()
    await piglet.run('hi')
    expect(await ask(piglet, 'host/sessionTitle')).toEqual({ title: '' })
    expect(await ask(piglet, 'host/setSessionTitle', { title: 'T' })).toEqual({})
    const [first] = (await ask(piglet, 'host/sessionEntryInfos')).entries
    expect(await ask(piglet, 'host/setLabel', { targetId: first.id, label: 'start' })).toEqual({})
    expect(await ask(piglet, 'host/appendSessionEntry', { kind: 'ext:asker:note', data: { a: 1 } })).toEqual(
      {},
    )
    expect(
      await ask(piglet, 'host/appendCustomMessage', { role: 'assistant', content: 'by the way' }),
    ).toEqual({})
    await expect(ask(piglet, 'host/appendSessionEntry', { kind: 'user', data: {} })).rejects.toThrow(
      "user is a kind of the session's own",
    )
    await expect(ask(piglet, 'host/setLabel', { targetId: 'none', label: 'x' })).rejects.toThrow(
      '-32603 entry none not found',
    )
    const again = await on.open({ session: piglet.app.sessionId() as string })
    expect(await ask(again, 'host/sessionTitle')).toEqual({ title: 'T' })
    const { nodes } = await ask(again, 'host/sessionFullTree')
    expect(
      nodes.map((node: { type: string; depth: number; label?: string; preview?: string }) => [
        node.type,
        node.depth,
        node.label,
        node.preview,
      ]),
    ).toEqual([
      ['user', 0, 'start', 'hi'],
      ['assistant', 1, undefined, 'ok'],
      ['label', 2, undefined, undefined],
      ['ext:asker:note', 3, undefined, undefined],
      ['custom_message', 4, undefined, undefined],
    ])
    expect((await ask(again, 'host/conversationMessages')).messages.at(-1)).toMatchObject({
      content: [{ text: 'by the way' }],
      provider: 'custom',
    })
    const { sessions } = await ask(again, 'host/sessions')
    expect(sessions).toEqual([
      {
        id: piglet.app.sessionId(),
        title: 'T',
        cwd: on.cwd,
        createdAt: expect.any(String),
        path: expect.stringContaining('.jsonl'),
      },
    ])
  })

  test('branch, reset, fork and load change the session that later messages go to', async () => {
    const piglet = await on.open()
    await piglet.run('one')
    await piglet.run('two')
    const first = piglet.app.sessionId()
    const { entries } = await ask(piglet, 'host/sessionEntryInfos')
    expect(
      await ask(piglet, 'host/branchSessionWithSummary', {
        entryId: entries[1].id,
        summary: 'two was no good',
      }),
    ).toEqual({})
    expect((await ask(piglet, 'host/conversationMessages')).messages.length).toBe(2)
    await expect(ask(piglet, 'host/branchSession', { entryId: 'none' })).rejects.toThrow(
      'entry none not found',
    )
    await piglet.run('three')
    expect(await ask(piglet, 'host/forkSession')).toEqual({ parentID: first, messageCount: 4 })
    expect(piglet.app.sessionId()).not.toBe(first)
    await piglet.run('four')
    expect(await ask(piglet, 'host/resetSessionLeaf', {})).toEqual({})
    expect((await ask(piglet, 'host/conversationMessages')).messages).toEqual([])
    const { sessions } = await ask(piglet, 'host/sessions')
    const old = sessions.find(({ id }: { id: string }) => id === first)
    expect(sessions.find(({ id }: { id: string }) => id !== first).parentId).toBe(first)
    expect(await ask(piglet, 'host/loadSession', { path: old.path })).toEqual({})
    const texts = (await ask(piglet, 'host/conversationMessages')).messages.map(
      ({ content }: { content: unknown }) => content,
    )
    expect(texts.filter((text: unknown) => typeof text === 'string')).toEqual(['one', 'three'])
    await expect(ask(piglet, 'host/loadSession', { path: '/etc/passwd' })).rejects.toThrow('is not a session')
  })

  test('a session that is left during a run gets no more of its messages', async () => {
    const piglet = await on.open()
    await piglet.run('one')
    const { entries } = await ask(piglet, 'host/sessionEntryInfos')
    const hold = Promise.withResolvers<void>()
    on.model.say({ text: 'half', hold: hold.promise })
    const run = piglet.run('two')
    await until(() => on.model.asked.length >= 2)
    await ask(piglet, 'host/branchSession', { entryId: entries[0].id })
    expect(await run).toMatchObject({ end: 'aborted' })
    hold.resolve()
    expect((await ask(piglet, 'host/conversationMessages')).messages.length).toBe(1)
    expect((await ask(piglet, 'host/sessionEntryInfos')).entries.at(-1).type).toBe('branch_summary')
  })
})

describe('settings', () => {
  test('any setting by its dotted name', async () => {
    on.write(
      'config/config.yaml',
      'defaultModel: test/m1\nagent:\n  maxTurns: 7\ndaily_token_limit: 5\n"a.b": 1\n',
    )
    const piglet = await on.open()
    expect(
      await ask(piglet, 'host/config.get', {
        keys: ['defaultModel', 'agent.maxTurns', 'daily_token_limit', 'a.b', 'none', 'agent'],
      }),
    ).toEqual({
      values: {
        defaultModel: 'test/m1',
        'agent.maxTurns': 7,
        daily_token_limit: 5,
        'a.b': 1,
        agent: { maxTurns: 7 },
      },
    })
    on.write('config/old.md', ' text \n')
    expect(await ask(piglet, 'host/config.readExtension', { name: 'old' })).toEqual({ content: 'text' })
    expect(existsSync(join(on.configDir, 'extensions/old/old.md'))).toBe(true)
    expect(await ask(piglet, 'host/config.readExtension', { name: 'none' })).toEqual({ content: '' })
    await expect(ask(piglet, 'host/config.readExtension', { name: '../x' })).rejects.toThrow('-32603')
  })

  test('keys go only to extensions that the user trusts, asked once and remembered', async () => {
    const file = on.write(
      'config/auth.json',
      JSON.stringify({
        openai: 'sk-1',
        google: '$GKEY',
        groq: `$\{RKEY}`,
        xai: '!printf from-command',
        azure: 'az',
      }),
    )
    chmodSync(file, 0o600)
    const env = { PATH: process.env.PATH, HOME: on.base, GKEY: 'g', RKEY: 'r', MISTRAL_API_KEY: 'm' }
    const deaf = await on.open({ env })
    await expect(ask(deaf, 'host/auth.getKey', { provider: 'openai' })).rejects.toThrow(
      'piglet ext trust asker',
    )
    const asked: string[] = []
    const piglet = await on.open({
      env,
      dialogs: async (question) => {
        asked.push(question.kind === 'ask' ? question.prompt : '')
        return question.kind === 'ask' && !question.prompt.includes('xai') ? 'Always' : undefined
      },
    })
    const key = async (provider: string) => (await ask(piglet, 'host/auth.getKey', { provider })).key
    const found: string[] = []
    for (const provider of ['openai', 'gemini', 'groq', 'azure-openai', 'mistral', 'nobody'])
      found.push(await key(provider))
    expect(found).toEqual(['sk-1', 'g', 'r', 'az', 'm', ''])
    await expect(key('xai')).rejects.toThrow('refused')
    expect(asked.length).toBe(7)
    expect(JSON.parse(readFileSync(join(on.configDir, 'trust.json'), 'utf8')).extensions.asker).toContain(
      'auth:openai',
    )
    const later = await on.open({ env })
    expect((await ask(later, 'host/auth.getKey', { provider: 'openai' })).key).toBe('sk-1')
    later.services.trust.grant('asker', ['auth'])
    expect((await ask(later, 'host/auth.getKey', { provider: 'xai' })).key).toBe('from-command')
    chmodSync(file, 0o644)
    await expect(ask(later, 'host/auth.getKey', { provider: 'xai' })).rejects.toThrow(
      'other users can read or change the file',
    )
    expect((await ask(later, 'host/auth.getKey', { provider: 'openai' })).key).toBe('sk-1')
  })

  test('models are listed, switched for now or for good, written, and found on local servers', async () => {
    on.write('config/config.yaml', `# mine\ndefaultModel: m1\nlocalServers: ["${on.model.url}/"]\n`)
    const piglet = await on.open()
    const list = async () => (await ask(piglet, 'host/availableModels')).models
    expect(
      (await list()).map(({ displayName, current }: { displayName: string; current: boolean }) => [
        displayName,
        current,
      ]),
    ).toEqual([
      ['local/near-1', false],
      ['test/m1', true],
      ['test/m2', false],
      ['test/m2-long', false],
    ])
    await expect(ask(piglet, 'host/switchModel', { modelId: '' })).rejects.toThrow(
      '-32603 modelId is required',
    )
    await expect(ask(piglet, 'host/switchModel', { modelId: 'm2' })).rejects.toThrow('unknown model: m2')
    expect(await ask(piglet, 'host/switchModel', { modelId: 'test/m2', persistDefault: true })).toEqual({})
    expect(piglet.view().status.model).toBe('test/m2')
    expect(readFileSync(join(on.configDir, 'config.yaml'), 'utf8')).toContain(
      '# mine\ndefaultModel: test/m2\n',
    )
    on.write(
      'config/models.yaml',
      `localDefaults: { contextWindow: 9 }\nmodels:\n- { id: m9, provider: test }\n`,
    )
    expect(await ask(piglet, 'host/syncModels')).toEqual({ updated: 1 })
    const { modelsWritten } = await ask(piglet, 'host/writeModels', {
      overrides: { 'openai/gpt-5': { contextWindow: 42, name: 'G' } },
    })
    expect(modelsWritten).toBeGreaterThan(10)
    expect((await list()).find(({ id }: { id: string }) => id === 'gpt-5')).toMatchObject({
      contextWindow: 42,
      displayName: 'openai/G',
      maxTokens: 128_000,
    })
    expect((await list()).some(({ id }: { id: string }) => id === 'm9')).toBe(true)
    expect(readFileSync(join(on.configDir, 'models.yaml'), 'utf8')).toContain('localDefaults')
  })

  test('files that tools changed can be restored, with their modes', async () => {
    const piglet = await on.open()
    const path = on.write('a.sh', 'old\n')
    chmodSync(path, 0o755)
    on.model.say({ calls: [{ name: 'edit', args: { path: 'a.sh', old_text: 'old', new_text: 'new' } }] })
    await piglet.run('change it')
    expect(readFileSync(path, 'utf8')).toBe('new\n')
    expect(await ask(piglet, 'host/undoSnapshots')).toEqual({ snapshots: { [path]: 4 } })
    expect(await ask(piglet, 'host/undoRestore', { path })).toEqual({})
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['old\n', 0o755])
    await expect(ask(piglet, 'host/undoRestore', { path: '/none' })).rejects.toThrow(
      '-32604 no snapshot for path: /none',
    )
  })
})

describe('models and agents for extensions', () => {
  test('one question to the requested model', async () => {
    const piglet = await on.open()
    on.model.say('short')
    expect(
      await ask(piglet, 'host/chat', {
        system: 's',
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: 'a' },
          { role: 'x', content: 'r' },
        ],
        model: 'small',
        maxTokens: 9,
      }),
    ).toEqual({ text: 'short', usage: { input: 10, output: 5 } })
    expect(on.model.asked[0]?.body).toMatchObject({ model: 'm2', max_tokens: 9 })
    expect(on.model.asked[0]?.body.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ])
    expect(on.events).toEqual([])
    await expect(ask(piglet, 'host/chat', { messages: [], model: 'none' })).rejects.toThrow(
      '-32603 resolve provider: unknown model: none',
    )
    on.model.say({ status: 400, text: 'too odd' })
    await expect(ask(piglet, 'host/chat', { messages: [] })).rejects.toThrow('-32603 chat error: 400 too odd')
  })

  test('a task with tools reports how it ended, and emits no events', async () => {
    const piglet = await on.open()
    on.write('f.txt', 'inside\n')
    on.model.say(
      {
        text: 'looking',
        calls: [
          { name: 'read', args: { path: 'f.txt' } },
          { name: 'bash', args: { command: 'true' } },
        ],
      },
      'found',
    )
    expect(await ask(piglet, 'host/agent.run', { system: 'S', task: 'look', maxTurns: 3 })).toEqual({
      text: 'looking\nfound',
      turns: 2,
      usage: { input: 20, output: 10 },
    })
    expect(on.model.asked[1]?.body.messages.slice(-2).map(({ content }) => content)).toEqual([
      '1\tinside',
      'unknown tool: bash',
    ])
    on.model.say({ calls: [{ name: 'bash', args: { command: 'echo hi' } }] }, { status: 400 })
    await expect(ask(piglet, 'host/agent.run', { task: 'go', tools: 'all' })).rejects.toThrow(
      'agent failed after 2 turns: 400 no',
    )
    await until(() => on.model.asked.length >= 4)
    expect(on.model.asked[3]?.body.messages.at(-1)?.content).toBe('hi\n')
    expect(on.events).toEqual([])
  })

  test('a background task is shown when it is done, and can be cancelled', async () => {
    const piglet = await on.open()
    const hold = Promise.withResolvers<void>()
    on.model.say({ text: 'result', hold: hold.promise })
    expect(await ask(piglet, 'host/runBackground', { prompt: 'find all the things there are' })).toEqual({})
    expect(await ask(piglet, 'host/isBackgroundRunning')).toEqual({ running: true })
    expect(piglet.view().status.bg).toBe('bg: find all the things …')
    await expect(
      ask(piglet, 'host/runBackground', { prompt: 'find all the things there are not' }),
    ).rejects.toThrow('already running')
    await Bun.sleep(5)
    hold.resolve()
    await ask(piglet, 'host/waitForIdle', null)
    expect(piglet.view().messages.map(({ text }) => text)).toContain(
      'Background task: find all the things there are\n\nresult',
    )
    on.model.say({ hold: new Promise(() => {}) })
    await ask(piglet, 'host/runBackground', { prompt: 'forever' })
    await ask(piglet, 'host/cancelBackground')
    await piglet.settled()
    expect(piglet.view().messages.map(({ text }) => text)).toContain(
      'Background task: forever\n\n(aborted: cancelled)',
    )
    expect(await ask(piglet, 'host/isBackgroundRunning')).toEqual({ running: false })
  })

  test('compaction on demand reports its size, is stored, and needs a compactor', async () => {
    const piglet = await on.open()
    await expect(ask(piglet, 'host/triggerCompact')).rejects.toThrow('-32603 no compactor registered')
    on.extension('short', [['register/compactor', { name: 'short' }]], {
      'compact/execute': `params.messages.length > 2 ? answer(id, { messages: params.messages.slice(-1) }) : say({ id, error: { code: 1, message: 'cannot' } })`,
    })
    const second = await on.open()
    await second.run('a')
    await expect(ask(second, 'host/triggerCompact')).rejects.toThrow('compact failed: cannot')
    await second.run('b')
    expect(await ask(second, 'host/triggerCompact')).toEqual({ before: 4, after: 1 })
    const again = await on.open({ session: second.app.sessionId() as string })
    expect((await ask(again, 'host/conversationMessages')).messages.length).toBe(1)
  })
})

describe('the user', () => {
  test('questions come one at a time; without an answer they are dismissed', async () => {
    const asked: UserQuestion[] = []
    let open = 0
    const piglet = await on.open({
      dialogs: async (question) => {
        expect(++open).toBe(1)
        asked.push(question)
        await Bun.sleep(2)
        open -= 1
        return question.kind === 'pick'
          ? question.items[1]?.id
          : question.prompt === 'sure?'
            ? 'yes'
            : 'something else'
      },
    })
    const items = [
      { id: 'a', label: 'A' },
      { id: 'b', label: 'B', desc: 'second' },
    ]
    expect(
      await Promise.all([
        piglet.app.requests['host/showPicker']({ title: 't', items }, {
          extension: { name: 'x' },
          signal: new AbortController().signal,
        } as never),
        piglet.app.requests['host/askUser']({ prompt: 'sure?', choices: ['yes', 'no'] }, {
          extension: { name: 'x' },
          signal: new AbortController().signal,
        } as never),
        piglet.app.requests['host/askUser']({ prompt: 'else?', choices: ['yes', 'no'] }, {
          extension: { name: 'x' },
          signal: new AbortController().signal,
        } as never),
      ]),
    ).toEqual([{ selected: 'b' }, { selected: 'yes', cancelled: false }, { selected: '', cancelled: true }])
    expect(asked[0]).toEqual({ kind: 'pick', title: 't', items, extension: 'x' })
    const alone = await on.open()
    expect(await ask(alone, 'host/showPicker', { title: 't', items })).toEqual({ selected: '' })
    expect(await ask(alone, 'host/askUser', { prompt: 'p', choices: ['a'] })).toEqual({
      selected: '',
      cancelled: true,
    })
    await expect(ask(alone, 'host/askUser', { prompt: 'p', choices: [] })).rejects.toThrow('-32602')
  })

  test('what extensions show is data with limits, and every change is reported', async () => {
    on.extension(
      'shows',
      [
        ['register/command', { name: 'show' }],
        ['register/shortcut', { key: 'ctrl+g', description: 'k' }],
      ],
      {
        'command/execute': `const tell = (method, params) => say({ method, params })
        tell('notify', { message: 'n', level: 'odd' }); tell('setWidget', { key: 'w', placement: 'above-input', content: '1\\n2\\n3\\n4\\n5\\n6' })
        tell('setWidget', { key: 'gone', placement: 'below-status', content: 'x' }); tell('setWidget', { key: 'gone', placement: 'below-status', content: '' })
        tell('showOverlay', { key: 'o', content: 'one' }); tell('showOverlay', { key: 'p', content: 'two' }); tell('showOverlay', { key: 'o', content: 'three', title: 'T' }); tell('closeOverlay', { key: 'p' })
        tell('setInputText', { text: 'typed' }); answer(id, {})`,
        'shortcut/handle': `answer(id, { action: { type: 'setStatus', payload: { Key: 'k', Text: params.key } } })`,
      },
    )
    const changed = new Set<string>()
    const piglet = await on.open({ onChange: (part) => void changed.add(part) })
    await piglet.runCommand('show')
    expect(piglet.view()).toMatchObject({
      notifications: [{ level: 'info', message: 'n', extension: 'shows' }],
      widgets: [{ key: 'w', placement: 'above-input', content: '1\n2\n3\n4\n5', extension: 'shows' }],
      overlays: [{ key: 'o', content: 'three', title: 'T' }],
      inputText: 'typed',
    })
    expect([await piglet.pressKey('ctrl+g'), await piglet.pressKey('ctrl+h')]).toEqual([true, false])
    expect(piglet.view().status.k).toBe('ctrl+g')
    await ask(piglet, 'host/requestQuit')
    expect(piglet.view().wantsToQuit).toBe(true)
    expect([...changed].sort()).toEqual([
      'inputText',
      'messages',
      'notifications',
      'overlays',
      'status',
      'wantsToQuit',
      'widgets',
    ])
  })

  test('an extension may send a prompt or a command for the user', async () => {
    on.extension(
      'loop',
      [
        ['register/command', { name: 'go' }],
        ['register/command', { name: 'other' }],
      ],
      {
        'command/execute': `if (params.name === 'go') for (const content of params.args.split('|')) say({ method: 'sendMessage', params: { content } }); else say({ method: 'showMessage', params: { text: 'other ' + params.args } }); answer(id, {})`,
      },
    )
    const piglet = await on.open()
    await piglet.runCommand('go', '/other x')
    await until(() => piglet.view().messages.length !== 0)
    expect(piglet.view().messages[0]?.text).toBe('other x')
    await piglet.runCommand('go', 'say this')
    await until(() => on.model.asked.length !== 0)
    await piglet.settled()
    expect(on.model.asked[0]?.body.messages.at(-1)?.content).toBe('say this')
    await piglet.submit('/none')
    expect(piglet.view().notifications.at(-1)?.message).toBe('Command error: unknown command: /none')
  })
})

test('local models see only the names of deferred tools until they are activated', async () => {
  on.extension('more', [
    [
      'register/tool',
      {
        name: 'far',
        description: 'far away',
        parameters: { type: 'object', properties: { x: {} } },
        deferred: true,
        promptHint: 'seldom',
      },
    ],
  ])
  const piglet = await on.open()
  await piglet.run('a')
  const farIn = (at: number) =>
    on.model.asked[at]?.body.tools?.find((tool) => tool.function.name === 'far')?.function
  expect(farIn(0)).toEqual({ name: 'far', description: 'far away', parameters: { type: 'object' } })
  expect(String(on.model.asked[0]?.body.messages[0]?.content)).toContain(
    '# Tool Usage Notes\n\n## far — seldom\n\n# Available Tools',
  )
  expect(await ask(piglet, 'host/activateTool', { name: 'far' })).toEqual({})
  await piglet.run('b')
  expect(farIn(1)?.parameters).toEqual({ type: 'object', properties: { x: {} } })
  await expect(ask(piglet, 'host/activateTool', { name: 'read' })).rejects.toThrow('-32604')
  expect(await ask(piglet, 'host/setToolFilter', { names: ['ls', 'far'] })).toEqual({})
  await piglet.run('c')
  expect(on.model.asked[2]?.body.tools?.map((tool) => tool.function.name)).toEqual(['far', 'ls'])
  await ask(piglet, 'host/setToolFilter', { names: null })
  expect((await ask(piglet, 'host/llmSnapshot')).tools.length).toBe(8)
})

test('extensions of a project run only when the user trusts this project', async () => {
  on.write('.piglet/extensions/own/manifest.yaml', 'name: own\nruntime: node\nentry: i.cjs\n')
  on.write(
    '.piglet/extensions/own/i.cjs',
    readFileSync(join(on.configDir, 'extensions/asker/index.cjs'), 'utf8').replace('"ask"', '"own"'),
  )
  const found = (piglet: Awaited<ReturnType<Stage['open']>>) =>
    piglet.host.list().map(({ manifest }) => manifest.name)
  expect(found(await on.open({ dialogs: async () => 'Always' }))).toEqual(['asker'])
  on.write(
    'config/config.yaml',
    'defaultModel: test/m1\nallowProjectExtensions: true\ndisabled_extensions: [asker]\n',
  )
  const deaf = await on.open()
  expect([found(deaf), deaf.view().notifications[0]?.level]).toEqual([[], 'warn'])
  expect(found(await on.open({ dialogs: async () => 'Always' }))).toEqual(['own'])
  expect(found(await on.open())).toEqual(['own'])
})
