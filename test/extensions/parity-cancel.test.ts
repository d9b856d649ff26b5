// A cancelled request ends on both sides, with everything that it started.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Piglet } from '../../src/piglet/piglet.ts'
import { until } from '../support/until.ts'
import { type Stage, stage } from './piglet-stage.ts'

let on: Stage
beforeEach(async () => {
  on = await stage()
})
afterEach(async () => {
  await on[Symbol.asyncDispose]()
})

/** `/begin method json` sends a request and shows its error; `/back` cancels it. */
function canceller(): void {
  on.extension(
    'c',
    [
      ['register/command', { name: 'begin' }],
      ['register/command', { name: 'back', immediate: true }],
      ['register/compactor', { name: 'never' }],
      ['register/tool', { name: 'own' }],
    ],
    {
      'command/execute': `if (params.name === 'back') { say({ method: '$/cancelRequest', params: { id: globalThis.asked } }); return answer(id, {}) }
        const at = params.args.indexOf(' ')
        const asking = ask(params.args.slice(0, at), JSON.parse(params.args.slice(at + 1)))
        globalThis.asked = last
        const { error } = await asking
        say({ method: 'showMessage', params: { text: error ? error.code + ' ' + error.message : 'answered' } }); answer(id, {})`,
      'compact/execute': `say({ method: 'log', params: { level: 'info', message: 'compacting' } }); globalThis.compacting = id`,
      'tool/execute': `say({ method: 'log', params: { level: 'info', message: 'working' } }); globalThis.working = id`,
      '$/cancelRequest': `say({ method: 'log', params: { level: 'info', message: params.id === globalThis.compacting ? 'compacting no more' : params.id === globalThis.working ? 'working no more' : 'what?' } })`,
    },
  )
}

async function takeBack(
  piglet: Piglet,
  method: string,
  params: object,
  hasBegun: () => boolean,
): Promise<string | undefined> {
  const asking = piglet.runCommand('begin', `${method} ${JSON.stringify(params)}`)
  await until(hasBegun)
  await piglet.runCommand('back')
  await asking
  return piglet.view().messages.at(-1)?.text
}

describe('an extension cancels', () => {
  const hold = new Promise<void>(() => {})
  beforeEach(() => canceller())

  test.each([
    ['host/chat', { messages: [{ role: 'user', content: 'q' }] }],
    ['host/agent.run', { task: 'q' }],
  ])('%s: the model is not asked any more', async (method, params) => {
    const piglet = await on.open()
    on.model.say({ text: 'half', hold })
    expect(await takeBack(piglet, method, params, () => on.model.asked.length === 1)).toStartWith('-32603 ')
    await until(() => on.model.takenBack.length === 1)
    expect(on.model.asked.length).toBe(1)
  })

  test('host/agent.run in the middle of a tool: the tool ends, and no further turn begins', async () => {
    const piglet = await on.open()
    on.model.say({ calls: [{ name: 'bash', args: { command: 'echo $$ > pid; exec sleep 1000' } }] })
    const file = join(on.cwd, 'pid')
    const hasBegun = () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')
    expect(await takeBack(piglet, 'host/agent.run', { task: 'q', tools: 'all' }, hasBegun)).toStartWith(
      '-32603 ',
    )
    const pid = Number(readFileSync(file, 'utf8'))
    await until(() => !isAlive(pid))
    expect(on.model.asked.length).toBe(1)
  })

  test('host/executeTool of a tool of the program: its process ends', async () => {
    const piglet = await on.open()
    const file = join(on.cwd, 'pid')
    const params = { name: 'bash', args: { command: 'echo $$ > pid; exec sleep 1000' } }
    const hasBegun = () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')
    expect(await takeBack(piglet, 'host/executeTool', params, hasBegun)).toBe('-32603 cancelled')
    await until(() => !isAlive(Number(readFileSync(file, 'utf8'))))
  })

  test.each([
    ['host/executeTool of a tool of its own', 'host/executeTool', { name: 'own', args: {} }, 'working'],
    ['host/triggerCompact', 'host/triggerCompact', {}, 'compacting'],
  ])('%s: the extension that does the work is told', async (_name, method, params, word) => {
    const piglet = await on.open()
    const heard = (said: string) => on.logged.includes(`info: ${said}`)
    expect(await takeBack(piglet, method, params, () => heard(word))).toStartWith('-32603 ')
    await until(() => heard(`${word} no more`))
  })

  test.each([
    ['host/askUser', { prompt: 'p', choices: ['a'] }],
    ['host/showPicker', { title: 't', items: [{ id: 'a', label: 'A' }] }],
  ])('%s: the question goes away, and the next one comes', async (method, params) => {
    const open: string[] = []
    const piglet = await on.open({
      dialogs: async (question, signal) => {
        const name = question.kind === 'ask' ? question.prompt : question.title
        if (name === 'next') return 'yes'
        open.push(name)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        open.pop()
        return undefined
      },
    })
    expect(await takeBack(piglet, method, params, () => open.length === 1)).toBe('-32603 cancelled')
    await until(() => open.length === 0)
    await piglet.runCommand('begin', `host/askUser ${JSON.stringify({ prompt: 'next', choices: ['yes'] })}`)
    expect(piglet.view().messages.at(-1)?.text).toBe('answered')
  })

  test('host/auth.getKey while the user decides, and host/waitForIdle during a run', async () => {
    const asked = Promise.withResolvers<void>()
    let isAsked = false
    const piglet = await on.open({
      dialogs: async () => {
        isAsked = true
        await asked.promise
        return 'Always'
      },
    })
    expect(await takeBack(piglet, 'host/auth.getKey', { provider: 'openai' }, () => isAsked)).toBe(
      '-32603 cancelled',
    )
    asked.resolve()
    on.model.say({ hold })
    const run = piglet.run('go')
    await until(() => on.model.asked.length === 1)
    expect(
      await takeBack(piglet, 'host/waitForIdle', {}, () => piglet.host.find('c')?.load().serving === 1),
    ).toBe('-32603 cancelled')
    piglet.agent.abort()
    await run
  })

  test('and when it dies in the middle, all of that ends as well', async () => {
    const piglet = await on.open()
    on.model.say({ text: 'half', hold })
    piglet.runCommand('begin', `host/chat ${JSON.stringify({ messages: [] })}`).catch(() => {})
    await until(() => on.model.asked.length === 1)
    process.kill(piglet.host.find('c')?.pid as number, 'SIGKILL')
    await until(() => on.model.takenBack.length > 0)
    expect([on.model.asked.length, on.model.takenBack.length]).toEqual([1, 1])
  })
})

test('aborting a run cancels its tools, except those that must not be interrupted', async () => {
  on.extension(
    'two',
    [
      ['register/tool', { name: 'soft', interruptBehavior: 'anything' }],
      ['register/tool', { name: 'hard', interruptBehavior: 'block' }],
    ],
    {
      'tool/execute': `globalThis.names = { ...globalThis.names, [id]: params.name }
        say({ method: 'log', params: { level: 'info', message: params.name + ' begins' } })
        if (params.name === 'hard') globalThis.finish = () => answer(id, { content: [{ type: 'text', text: 'finished' }] })`,
      '$/cancelRequest': `say({ method: 'log', params: { level: 'info', message: globalThis.names[params.id] + ' called back' } }); setTimeout(globalThis.finish, 20)`,
    },
  )
  const piglet = await on.open()
  on.model.say({ calls: [{ name: 'soft' }, { name: 'hard' }] })
  const run = piglet.run('go')
  await until(() => on.logged.includes('info: soft begins') && on.logged.includes('info: hard begins'))
  piglet.agent.abort()
  expect(await run).toMatchObject({ end: 'aborted' })
  expect(on.logged.filter((line) => line.endsWith('called back'))).toEqual(['info: soft called back'])
  const results = piglet.services.current
    .conversation()
    .messages()
    .flatMap((message) => (message.role === 'tool_result' ? [[message.toolName, message.content[0]]] : []))
  expect(results).toEqual([
    ['soft', { type: 'text', text: '[error:TOOL_INTERRUPTED] tool execution cancelled' }],
    ['hard', { type: 'text', text: 'finished' }],
  ])
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}
