// Piglet for tests, with a model server and real extensions, in directories of its own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { PigletOptions } from '../../src/piglet/options.ts'
import { openPiglet, type Piglet } from '../../src/piglet/piglet.ts'
import { nodeExtension } from './live.ts'
import { type ModelServer, modelServer } from './model-server.ts'

export interface Stage extends AsyncDisposable {
  base: string
  cwd: string
  configDir: string
  model: ModelServer
  events: [type: string, data: Record<string, unknown>][]
  logged: string[]
  /** Writes a file of the project, or of the settings when it begins with `config/`. */
  write(path: string, text: string): string
  /** An extension that registers these and handles requests with these bodies (`params`, `id` in scope). */
  extension(name: string, registrations: [string, object][], handlers?: Record<string, string>): void
  open(more?: Partial<PigletOptions>): Promise<Piglet>
}

export async function stage(): Promise<Stage> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'entire-piglet-')))
  const [cwd, configDir] = [join(base, 'project'), join(base, 'config')]
  const model = await modelServer()
  const opened: Piglet[] = []
  const events: Stage['events'] = []
  const logged: string[] = []
  const write = (path: string, text: string) => {
    const full = path.startsWith('config/') ? join(base, path) : join(cwd, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
    return full
  }
  write('config/config.yaml', 'defaultModel: test/m1\nsmallModel: test/m2\n')
  write(
    'config/models.yaml',
    ['m1', 'm2', 'm2-long']
      .map(
        (id) =>
          `- { id: ${id}, provider: test, baseUrl: "${model.url}", contextWindow: 1000, cost: { input: 1, output: 2 } }\n`,
      )
      .join(''),
  )
  mkdirSync(cwd, { recursive: true })
  return {
    base,
    cwd,
    configDir,
    model,
    events,
    logged,
    write,
    extension(name, registrations, handlers = {}) {
      write(
        `config/extensions/${name}/manifest.yaml`,
        `name: ${name}\nversion: "1"\nruntime: node\nentry: index.cjs\n`,
      )
      write(`config/extensions/${name}/index.cjs`, source(registrations, handlers))
    },
    async open(more = {}) {
      const piglet = openPiglet({
        cwd,
        configDir,
        env: { PATH: process.env.PATH, HOME: base },
        retries: { delayMs: 1 },
        log: (level, message) => void logged.push(`${level}: ${message}`),
        onEvent: (type, data) => void events.push([type, data as Record<string, unknown>]),
        ...more,
      })
      opened.push(piglet)
      await piglet.start()
      return piglet
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((one) => one.stop()))
      await model[Symbol.asyncDispose]()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

function source(registrations: [string, object][], handlers: Record<string, string>): string {
  return nodeExtension(`
const handlers = { ${Object.entries(handlers)
    .map(([method, body]) => `${JSON.stringify(method)}: async (params, id) => { ${body} }`)
    .join(', ')} }
async function on(method, params, id) {
  if (method === 'initialize') {
    for (const [name, fields] of ${JSON.stringify(registrations)}) say({ method: name, params: fields })
    return answer(id, {})
  }
  if (handlers[method]) await handlers[method](params, id)
  else if (id !== undefined) say({ id, error: { code: -32601, message: 'method not found: ' + method } })
}`)
}

/**
 * An extension with a command that asks the host whatever it is given as `method json`, and shows the answer.
 */
export function asker(on: Stage, name = 'asker'): void {
  on.extension(name, [['register/command', { name: 'ask' }]], {
    'command/execute': `const at = params.args.indexOf(' '); const method = at < 0 ? params.args : params.args.slice(0, at)
      const { result, error } = await ask(method, at < 0 ? undefined : JSON.parse(params.args.slice(at + 1)))
      say({ method: 'showMessage', params: { text: JSON.stringify(error ? { error } : { result }) } }); answer(id, {})`,
  })
}

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
export async function ask(piglet: Piglet, method: string, params?: unknown): Promise<any> {
  const before = piglet.view().messages.length
  await piglet.runCommand('ask', params === undefined ? method : `${method} ${JSON.stringify(params)}`)
  const text = piglet
    .view()
    .messages.slice(before)
    .find((message) => message.extension !== '')?.text
  const { result, error } = JSON.parse(text ?? '{}')
  if (error) throw new Error(`${error.code} ${error.message}`)
  return result
}
