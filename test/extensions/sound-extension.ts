// Makes an extension without defects, in one file for Node; `defect` is inserted before it starts to read.

export function soundExtension(defect = ''): string {
  return `const fs = require('node:fs')
const path = require('node:path')
const isFd = process.env.PIGLET_FD === '1'
const object = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] }
let registrations = [
  ['register/tool', { name: 'greet', description: 'Greets a person', parameters: object }],
  ['register/tool', { name: 'wait', description: 'Waits until it is called back', parameters: { type: 'object' } }],
  ['register/command', { name: 'hi', description: 'Says hi' }],
  ['register/promptSection', { title: 'Sound', content: 'Be sound.' }],
  ['register/interceptor', { name: 'guard', priority: 10 }],
  ['register/eventHandler', { name: 'ears', events: ['EventTurnStart', 'EventTurnEnd'] }],
  ['register/shortcut', { key: 'ctrl+g', description: 'Greets' }],
  ['register/messageHook', { name: 'hook' }],
  ['register/inputTransformer', { name: 'transformer' }],
  ['register/compactor', { name: 'compactor', threshold: 1000 }],
]
class Refusal extends Error { constructor(code, message) { super(message); this.code = code } }
const waiting = new Map()
const handlers = {
  initialize() {
    for (const [method, params] of registrations) say({ method, params })
    return { name: 'sound', version: '1.0' }
  },
  'tool/execute'({ name, args }, id) {
    if (name === 'wait') return new Promise((resolve, reject) => waiting.set(id, () => reject(new Refusal(-32603, 'cancelled'))))
    if (name !== 'greet') throw new Refusal(-32602, 'unknown tool ' + name)
    if (!args.who) return { content: [{ type: 'text', text: 'whom?' }], isError: true }
    return { content: [{ type: 'text', text: 'Hello ' + args.who }] }
  },
  'command/execute'({ name, args }) {
    if (name !== 'hi') throw new Refusal(-32602, 'unknown command ' + name)
    say({ method: 'showMessage', params: { text: 'hi ' + args } })
    return {}
  },
  'shortcut/handle': () => ({ action: { type: 'notify', payload: { message: 'pressed' } } }),
  'interceptor/before': ({ args }) => ({ allow: true, args }),
  'interceptor/after': ({ details }) => ({ details }),
  'messageHook/onMessage': () => ({ injection: 'Be brief.' }),
  'inputTransformer/transform': ({ input }) => ({ output: input, handled: false }),
  'event/dispatch': () => ({ action: { type: 'setStatus', payload: { key: 'sound', text: 'heard' } } }),
  'compact/execute': ({ messages }) => ({ messages: messages.slice(-4) }),
}
const notices = { '$/cancelRequest': ({ id }) => waiting.get(id)?.(), shutdown() {} }
const input = isFd ? fs.createReadStream(null, { fd: 3 }) : process.stdin
const output = isFd ? fs.createWriteStream(null, { fd: 4 }) : process.stdout
let put = (text) => output.write(text)
let say = (message) => put(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
let unknown = (method) => { throw new Refusal(-32601, 'method not found: ' + method) }
let answered = () => {}
async function serve({ id, method, params }) {
  try {
    const handler = handlers[method]
    say({ id, result: handler ? await handler(params ?? {}, id) : await unknown(method, params) })
  } catch (error) {
    say({ id, error: { code: error.code ?? -32603, message: error.message } })
  }
  answered(method, id)
}
let hear = (method, params) => notices[method]?.(params ?? {})
let take = (line) => {
  let message
  try { message = JSON.parse(line) } catch { return }
  if (message === null || typeof message !== 'object' || typeof message.method !== 'string') return
  if (message.id === undefined) hear(message.method, message.params)
  else if (Number.isInteger(message.id)) serve(message)
}
let rest = Buffer.alloc(0)
let feed = (chunk) => {
  rest = Buffer.concat([rest, chunk])
  for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
    const line = rest.subarray(0, at)
    rest = rest.subarray(at + 1)
    if (line.length > 0) take(line.toString('utf8'))
  }
}
let end = () => process.exit(0)
const pending = new Map()
let last = 0
const ask = (method, params) => new Promise((resolve) => { pending.set(++last, resolve); say({ id: last, method, params }) })
${defect}
input.on('data', (chunk) => feed(chunk))
input.on('end', () => end())
`
}
