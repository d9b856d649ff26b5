import { afterEach, beforeEach, expect, test } from 'bun:test'
import { parseRecording, WireRecorder } from '../../src/extensions/flight-recorder/recording.ts'
import { type Deviation, replayProcess } from '../../src/extensions/flight-recorder/replay.ts'
import { extensionEnvironment } from '../../src/extensions/runtime.ts'
import { startExtension } from '../../src/extensions/start-extension.ts'
import { type ExtensionDirs, extensionDirs, recordingSide, startOptions } from './live.ts'
import { soundExtension } from './sound-extension.ts'

let dirs: ExtensionDirs
let text: string

/** An extension whose output depends on the answer to its request. */
const asking = `handlers['tool/execute'] = async ({ args }) => {
  const { values } = await ask('host/config.get', { keys: [args.who] })
  say({ method: 'notify', params: { message: 'asked', at: Date.now() } })
  return { content: [{ type: 'text', text: 'Hello ' + values[args.who] }] }
}
{ const before = take; take = (line) => { const { id, method, result } = JSON.parse(line); if (method === undefined) pending.get(id)?.(result); else before(line) } }
`

beforeEach(async () => {
  dirs = extensionDirs()
  text = ''
  const { tap } = new WireRecorder({
    write: (more) => {
      text += more
    },
    clock: () => new Date(),
  })
  const { side } = recordingSide((_method, params) => ({
    values: { [(params as { keys: string[] }).keys[0] as string]: 'dear you' },
  }))
  const manifest = dirs.add('sound', { 'index.js': soundExtension(asking) })
  const live = await startExtension(
    manifest,
    side,
    startOptions(dirs.base, { tap: (direction, line) => tap('sound', direction, line, 1) }),
  )
  await live.request('tool/execute', { callId: 'c', name: 'greet', args: { who: 'you' } })
  await live.stop()
})
afterEach(() => dirs[Symbol.dispose]())

async function replay(code: string, ignore = ['at']): Promise<Deviation[]> {
  const manifest = dirs.add(
    'changed',
    { 'index.js': soundExtension(`${asking}\n${code}`) },
    { name: 'sound' },
  )
  const [recorded] = parseRecording(text, 'file')
  const env = extensionEnvironment(process.env, manifest, undefined)
  return await replayProcess(manifest, recorded!, { env, ignore, withinMs: 3000 })
}

test('an unchanged extension shows no deviation, and its requests get the recorded answers', async () => {
  expect(await replay('')).toEqual([])
})

test('fields that differ each time can be ignored, and are reported otherwise', async () => {
  expect(await replay('', [])).toMatchObject([{ kind: 'different', subject: 'notice notify', path: 'at' }])
})

test('a different answer is reported with the path of the difference', async () => {
  const changed = await replay(
    `{ const before = say; say = (message) => before(JSON.parse(JSON.stringify(message).replace('Hello', 'Goodbye'))) }`,
  )
  expect(changed).toMatchObject([
    {
      kind: 'different',
      subject: 'answer to tool/execute',
      path: 'result.content.0.text',
      was: 'Hello dear you',
      is: 'Goodbye dear you',
    },
  ])
})

test('a message that no longer comes is missing, and an additional one is unexpected', async () => {
  const changed = await replay(
    `registrations = [...registrations.slice(1), ['register/command', { name: 'new', description: 'x' }]]`,
  )
  expect(changed.map(({ kind, subject }) => [kind, subject])).toEqual([
    ['missing', 'notice register/tool'],
    ['unexpected', 'notice register/command'],
  ])
})

test('registrations in another order are not a deviation', async () => {
  expect(await replay('registrations.reverse()')).toEqual([])
})

test('an extension that dies is reported at once', async () => {
  const changed = await replay(`handlers['tool/execute'] = () => process.exit(1)`)
  expect(changed.map(({ kind, subject }) => [kind, subject])).toEqual([
    ['missing', 'request host/config.get'],
    ['ended', 'the process'],
  ])
})
