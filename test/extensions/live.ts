// Real extensions in small scripts, and a host side that records what it is asked.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallingExtension, HostSide } from '../../src/extensions/live-extension.ts'
import type { Manifest } from '../../src/extensions/manifest.ts'
import { readManifest } from '../../src/extensions/manifest.ts'
import type { StartOptions } from '../../src/extensions/start-extension.ts'
import { methods } from '../../src/protocol/extension/table.ts'

export interface ExtensionDirs extends Disposable {
  base: string
  /** Writes an extension; `manifest` replaces fields of the usual manifest. */
  add(name: string, files: Record<string, string>, manifest?: Partial<Record<string, string>>): Manifest
}

export function extensionDirs(): ExtensionDirs {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'entire-ext-')))
  return {
    base,
    add(name, files, manifest = {}) {
      const dir = join(base, name)
      mkdirSync(dir, { recursive: true })
      const [entry = ''] = Object.keys(files)
      const fields = {
        name,
        version: '1.0',
        runtime: entry.endsWith('.py') ? 'python' : 'node',
        entry,
        ...manifest,
      }
      writeFileSync(
        join(dir, 'manifest.yaml'),
        Object.entries(fields)
          .map(([key, value]) => `${key}: ${value}\n`)
          .join(''),
      )
      for (const [path, text] of Object.entries(files)) {
        writeFileSync(join(dir, path), text)
        chmodSync(join(dir, path), 0o755)
      }
      return readManifest(dir) as Manifest
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  }
}

/** Records requests and notices in order; requests are answered by `answer`, or with an empty result. */
export function recordingSide(
  answer: (method: string, params: unknown, caller: CallingExtension) => unknown = () => ({}),
) {
  const asked: [method: string, params: unknown][] = []
  const told: [method: string, params: unknown][] = []
  const names = Object.entries(methods).filter(([, method]) => method.to !== 'extension')
  const requests = names.filter(([, method]) => 'result' in method)
  const notices = names.filter(([, method]) => !('result' in method))
  const side = {
    requests: Object.fromEntries(
      requests.map(([name]) => [
        name,
        (params: unknown, caller: CallingExtension) => {
          asked.push([name, params])
          return answer(name, params, caller)
        },
      ]),
    ),
    notices: Object.fromEntries(
      notices.map(([name]) => [name, (params: unknown) => void told.push([name, params])]),
    ),
  } as unknown as HostSide
  return { side, asked, told }
}

export function startOptions(
  base: string,
  more: Partial<StartOptions> = {},
): StartOptions & { logged: string[] } {
  const logged: string[] = []
  return {
    cwd: base,
    configDir: join(base, 'config'),
    session: 'session-1',
    env: process.env,
    approve: async () => false,
    log: (level, message) => void logged.push(`${level}: ${message}`),
    logged,
    ...more,
  }
}

/**
 * A script for Node that speaks the protocol: `on(method, params, id)` may call `say`, `answer` and `ask`.
 */
export function nodeExtension(body: string, transport: 'fd' | 'stdio' = 'fd'): string {
  const [input, output] =
    transport === 'fd' ? ["new (require('node:net').Socket)({ fd: 3 })", 4] : ['process.stdin', 1]
  return `const fs = require('node:fs')
const put = (text) => { let bytes = Buffer.from(text); while (bytes.length > 0) { try { bytes = bytes.subarray(fs.writeSync(${output}, bytes)) } catch (error) { if (error.code !== 'EAGAIN') throw error } } }
const say = (message) => put(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const answer = (id, result) => say({ id, result })
const pending = new Map()
let last = 0
const ask = (method, params) => new Promise((resolve) => { pending.set(++last, resolve); say({ id: last, method, params }) })
let rest = ''
const input = ${input}
input.setEncoding('utf8')
input.on('data', (text) => {
  rest += text
  for (let at = rest.indexOf('\\n'); at >= 0; at = rest.indexOf('\\n')) {
    const message = JSON.parse(rest.slice(0, at))
    rest = rest.slice(at + 1)
    if (message.method === undefined) { pending.get(message.id)?.(message); pending.delete(message.id) }
    else on(message.method, message.params, message.id)
  }
})
input.on('end', () => process.exit(0))
${body}
`
}
