// Lists extensions with one defect each: code that is put into a sound extension, and the rule that it
// breaks.

export interface Defect {
  title: string
  rule: string
  /** Put into the sound extension. */
  code?: string
  manifest?: Record<string, string>
  /** Other rules in whose trials the defect shows. */
  also?: string[]
}

const replace = (method: string, body: string) => `handlers['${method}'] = ${body};`
/** Runs code before the answer to initialize. */
const begin = (code: string) =>
  `{ const initialize = handlers.initialize; handlers.initialize = async (params) => { ${code}; return initialize(params) } }`
/** Runs code after the answer to initialize. */
const later = (code: string) => `answered = (method, id) => { if (method === 'initialize') { ${code} } }`
const registered = (list: string) => `registrations = ${list};`

export const defects: Defect[] = [
  { title: 'has no version', rule: 'manifest/version', manifest: { version: '' } },
  {
    title: 'lists unknown permissions',
    rule: 'manifest/permissions',
    manifest: { permissions: '[register:toolz, auth:openai]' },
  },
  {
    title: 'answers initialize with an error',
    rule: 'handshake/answers',
    code: replace('initialize', '() => { throw new Error("no") }'),
  },
  { title: 'dies at once', rule: 'handshake/answers', code: 'console.error("I cannot"); process.exit(1)' },
  { title: 'sends nothing', rule: 'handshake/answers', code: 'say = () => {}' },
  {
    title: 'dies in the middle of its answer',
    rule: 'handshake/answers',
    code: begin(
      'put(\'{"jsonrpc":"2.0","id":1,"res\'); setTimeout(() => process.exit(1), 50); await new Promise(() => {})',
    ),
  },
  {
    title: 'answers with another name than its manifest',
    rule: 'handshake/name',
    code: replace('initialize', "() => ({ name: 'other', version: '1.0' })"),
  },
  { title: 'registers nothing', rule: 'handshake/offers-something', code: registered('[]') },
  {
    title: 'registers a tool twice',
    rule: 'handshake/each-once',
    code: 'registrations.push(registrations[0])',
  },
  {
    title: 'has a schema that is not an object',
    rule: 'handshake/tool-schemas',
    code: "registrations[0][1].parameters = { type: 'string' }",
  },
  {
    title: 'requires a property that its schema lacks',
    rule: 'handshake/tool-schemas',
    code: "registrations[0][1].parameters = { type: 'object', required: ['x'] }",
  },
  {
    title: 'has a tool without a description',
    rule: 'handshake/descriptions',
    code: 'delete registrations[0][1].description',
  },
  {
    title: 'registers for unknown events',
    rule: 'handshake/events',
    code: "registrations[5][1].events = ['EventTurnStart', 'EventLunch']",
  },
  { title: 'registers an invalid key', rule: 'handshake/keys', code: "registrations[6][1].key = 'f5'" },
  {
    title: 'registers the key that interrupts programs',
    rule: 'handshake/keys',
    code: "registrations[6][1].key = 'ctrl+c'",
  },
  {
    title: 'fails when the host refuses a request',
    rule: 'handshake/refused',
    code: `${begin("const { error } = await ask('host/config.get', { keys: ['a'] }); if (error) process.exit(1)")}
      { const before = take; take = (line) => { const { id, method, result, error } = JSON.parse(line); if (method === undefined) pending.get(id)?.({ result, error }); else before(line) } }`,
  },
  {
    title: 'fails without a directory for settings',
    rule: 'handshake/no-config-dir',
    code: begin('path.join(params.configDir, "x")'),
  },
  {
    title: 'registers something else on each start',
    rule: 'handshake/same-again',
    code: "registrations.push(['register/command', { name: 'c' + process.pid, description: 'x' }])",
  },
  { title: 'accepts every method', rule: 'requests/unknown-method', code: 'unknown = () => ({})' },
  {
    title: 'uses another code for unknown methods',
    rule: 'requests/unknown-method',
    code: "unknown = () => { throw new Error('what?') }",
  },
  {
    title: 'dies of unknown notices',
    rule: 'requests/unknown-notice',
    code: "hear = (method) => { if (method === '$/check') process.exit(1) }",
  },
  {
    title: 'accepts every tool',
    rule: 'requests/unknown-tool',
    code: replace('tool/execute', "() => ({ content: [{ type: 'text', text: 'ok' }] })"),
  },
  {
    title: 'accepts every command',
    rule: 'requests/unknown-command',
    code: replace('command/execute', '() => ({})'),
  },
  {
    title: 'fails without params',
    rule: 'requests/without-params',
    code: 'unknown = (method, params) => { if (params === null || params === undefined) process.exit(1); throw new Refusal(-32601, method) }',
  },
  {
    title: 'loses some of many parallel requests',
    rule: 'requests/in-parallel',
    code: '{ const before = take; let busy = 0; take = (line) => { busy += 1; setTimeout(() => { busy -= 1 }, 50); if (busy < 100) before(line) } }',
  },
  {
    title: 'dies when a request is cancelled',
    rule: 'requests/cancel',
    code: "hear = (method, params) => { if (method === '$/cancelRequest' && params.id !== 999) process.exit(1) }",
  },
  {
    title: 'reads every piece as a line',
    rule: 'framing/fragmented',
    code: 'feed = (chunk) => take(chunk.toString())',
  },
  {
    title: 'reads only the first of several lines',
    rule: 'framing/merged',
    code: 'feed = (chunk) => { rest = Buffer.concat([rest, chunk]); const at = rest.indexOf(10); if (at >= 0) { take(rest.subarray(0, at).toString()); rest = Buffer.alloc(0) } }',
  },
  {
    title: 'dies of long lines',
    rule: 'framing/large',
    code: '{ const before = feed; feed = (chunk) => { if (rest.length > 1e6) process.exit(1); before(chunk) } }',
  },
  {
    title: 'dies of lines that are too long',
    rule: 'framing/too-long',
    code: '{ const before = feed; feed = (chunk) => { if (rest.length > 4.5e6) process.exit(1); before(chunk) } }',
  },
  {
    title: 'dies of lines that are not messages',
    rule: 'framing/garbage',
    code: '{ const before = take; take = (line) => { JSON.parse(line); before(line) } }',
  },
  {
    title: 'dies of bytes that are not UTF-8',
    rule: 'framing/bad-utf8',
    code: "{ const before = feed; feed = (chunk) => { new TextDecoder('utf8', { fatal: true }).decode(chunk); before(chunk) } }",
  },
  {
    title: 'drops answers that are not read at once',
    rule: 'framing/slow-reader',
    code: 'put = (text) => { if (output.writableLength < 50_000) output.write(text) }',
  },
  {
    title: 'does not say whether a call is allowed',
    rule: 'interceptor/before',
    code: replace('interceptor/before', '() => ({})'),
  },
  {
    title: 'loses the result of a tool',
    rule: 'interceptor/after',
    code: replace('interceptor/after', '() => ({})'),
  },
  {
    title: 'has a hook that fails',
    rule: 'messageHook/answers',
    code: replace('messageHook/onMessage', "() => { throw new Error('no') }"),
  },
  {
    title: 'loses the input of the user',
    rule: 'inputTransformer/output',
    code: replace('inputTransformer/transform', '() => ({ handled: false })'),
  },
  {
    title: 'returns an unknown action',
    rule: 'events/answers',
    code: replace('event/dispatch', "() => ({ action: { type: 'explode' } })"),
  },
  {
    title: 'fails when a turn has no answer',
    rule: 'events/nothing-in-it',
    code: replace(
      'event/dispatch',
      "({ type, data }) => { if (type === 'EventTurnEnd') data.Assistant.content.length; return {} }",
    ),
  },
  {
    title: 'compacts a conversation to nothing',
    rule: 'compactor/answers',
    code: replace('compact/execute', '() => ({ messages: [] })'),
  },
  {
    title: 'makes conversations longer',
    rule: 'compactor/shortens',
    code: replace('compact/execute', '({ messages }) => ({ messages: [...messages, ...messages] })'),
  },
  { title: 'never ends', rule: 'end/channel-closed', code: 'end = () => setInterval(() => {}, 1000)' },
  { title: 'ends with an error', rule: 'end/channel-closed', code: 'end = () => process.exit(3)' },
  {
    title: 'never ends without initialize',
    rule: 'end/never-started',
    code: `let isStarted = false; end = () => (isStarted ? process.exit(0) : setInterval(() => {}, 1000)); ${begin('isStarted = true')}`,
  },
  { title: 'dies of shutdown', rule: 'end/shutdown', code: 'notices.shutdown = () => process.exit(3)' },
  {
    title: 'reads half a line as a whole one',
    rule: 'end/in-the-middle',
    code: 'end = () => { if (rest.length > 0) JSON.parse(rest.toString()); process.exit(0) }',
  },
  { title: 'needs descriptors 3 and 4', rule: 'transport/without-fd', code: 'if (!isFd) process.exit(0)' },
  {
    title: 'writes into the project',
    rule: 'environment/project',
    code: begin("fs.writeFileSync(path.join(params.cwd, 'trace'), 'x')"),
  },
  {
    title: 'changes its own program',
    rule: 'environment/own-files',
    code: begin("fs.appendFileSync(__filename, '// again\\n')"),
  },
  { title: 'prints on the channel', rule: 'messages/json', code: later("put('started\\n')") },
  {
    title: 'uses strings as ids',
    rule: 'messages/json',
    code: later("say({ id: 'one', method: 'host/toolDefs' })"),
  },
  {
    title: 'leaves out jsonrpc',
    rule: 'messages/envelope',
    code: "say = (message) => put(JSON.stringify(message) + '\\n')",
  },
  {
    title: 'sends an unknown registration',
    rule: 'messages/known',
    code: begin("say({ method: 'register/window', params: {} })"),
  },
  {
    title: 'sends an unknown request',
    rule: 'messages/known',
    code: begin("say({ id: 77, method: 'host/coffee', params: {} })"),
  },
  {
    title: 'sends a request as a notice',
    rule: 'messages/known',
    code: begin("say({ method: 'host/toolDefs', params: {} })"),
  },
  {
    title: 'sends a notice with a number as its message',
    rule: 'messages/schema',
    code: begin("say({ method: 'notify', params: { message: 5 } })"),
  },
  {
    title: 'registers without a name',
    rule: 'messages/registrations',
    code: "registrations.push(['register/tool', { name: '' }])",
  },
  {
    title: 'registers too late',
    rule: 'messages/in-time',
    code: later("say({ method: 'register/command', params: { name: 'late', description: 'x' } })"),
  },
  {
    title: 'sends a request without permission',
    rule: 'messages/permissions',
    manifest: { permissions: '[register:tools, register:commands]' },
  },
  {
    title: 'answers with other fields',
    rule: 'messages/answers',
    code: replace('compact/execute', "() => ({ messages: 'none' })"),
    also: ['compactor'],
  },
  {
    title: 'answers twice',
    rule: 'messages/one-answer',
    code: later('say({ id, result: {} })'),
  },
  {
    title: 'answers a request that was not sent',
    rule: 'messages/one-answer',
    code: begin('say({ id: 4711, result: {} })'),
  },
  {
    title: 'writes lines that are too long',
    rule: 'messages/length',
    code: later("say({ method: 'log', params: { message: 'x'.repeat(5e6) } })"),
  },
  {
    title: 'uses both channels',
    rule: 'messages/one-way',
    code: '{ const before = put; put = (text) => { before(text); if (isFd) process.stdout.write(text) } }',
  },
]
