// Runs plugins made with the kit as processes, on Node, Bun and Deno.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readModules, staticallyReachable } from '../../../test/architecture/modules.ts'
import { buildPlugin } from '../../../test/support/plugin-build.ts'
import { given } from '../../std/given.ts'
import { runLimited } from '../../std/limited-process.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sdk-program-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const sdk = join(import.meta.dir, '../agent.ts')

const source = `
import { defineAgent, jsonlTranscript, PluginError } from ${JSON.stringify(sdk)}
void defineAgent({
  name: 'loud',
  type: 'Loud',
  description: 'Talks while it works',
  detect: () => {
    console.log('looking around')
    setInterval(() => {}, 1000)
    return true
  },
  sessions: { dir: ({ length }) => { throw new TypeError('a mistake ' + (length > 0)) }, file: (dir, id) => dir + '/' + id },
  resumeCommand: () => { throw new PluginError('cannot be resumed') },
  transcript: jsonlTranscript({}),
}).run()
`

const deno = Bun.which('deno')

describe.each([...(['node', 'bun'] as const), ...(deno === null ? [] : (['deno'] as const))])(
  'on %s',
  (runtime) => {
    let plugin: string
    beforeAll(async () => {
      const place = mkdtempSync(join(dir, `${runtime}-`))
      writeFileSync(join(place, 'entire-agent-loud.ts'), source)
      plugin = await buildPlugin(join(place, 'entire-agent-loud.ts'), place, runtime)
      chmodSync(plugin, 0o755)
    })
    const run = (words: string[], stdin?: string | Uint8Array) =>
      runLimited([plugin, ...words], {
        cwd: dir,
        env: { PATH: process.env.PATH, HOME: dir },
        timeoutMs: 30_000,
        maxBytes: 64_000_000,
        ...given({ stdin }),
      })

    test('output of the author stays out of the answer, and an open timer does not keep the process alive', async () => {
      const result = await run(['detect'])
      expect(result).toMatchObject({ code: 0, timedOut: false, stderr: 'looking around\n' })
      expect(result.stdout.toString()).toBe('{"present":true}\n')
    })

    test('a failure is a message on stderr and exit code 1; a bug of the author comes with its stack', async () => {
      expect(await run(['format-resume-command', '--session-id', 'a'])).toMatchObject({
        code: 1,
        stdout: Buffer.alloc(0),
        stderr: 'entire-agent-loud: cannot be resumed\n',
      })
      const mistake = await run(['get-session-dir', '--repo-path', dir])
      expect(mistake.code).toBe(1)
      expect(mistake.stderr).toContain('TypeError: a mistake true')
      expect(mistake.stderr).toContain('    at ')
      expect((await run([])).code).toBe(1)
      expect((await run(['read-transcript', '--session-ref', join(dir, 'absent')])).stderr).toContain(
        'ENOENT',
      )
    })

    test('12 MB are cut and joined byte for byte', async () => {
      const bytes = Buffer.alloc(12_000_000, '{"text":"Grüße"}\n')
      const cut = await run(['chunk-transcript', '--max-size', '1000000'], bytes)
      expect(cut.code).toBe(0)
      expect(JSON.parse(cut.stdout.toString()).chunks.length).toBeGreaterThan(11)
      const joined = await run(['reassemble-transcript'], cut.stdout)
      expect(joined.stdout.equals(bytes)).toBe(true)
    })

    test('a call that reads no input does not wait for any', async () => {
      const result = await runLimited(['/bin/sh', '-c', '{ sleep 3 2>/dev/null & } | "$0" info', plugin], {
        cwd: dir,
        env: { PATH: process.env.PATH },
        timeoutMs: 5_000,
        maxBytes: 10_000,
      })
      expect(result.stdout.toString()).toContain('"name":"loud"')
    })
  },
)

test('the kit imports only modules of Node, which Bun and Deno have too', () => {
  const modules = readModules(['src']).filter(({ path }) => !path.endsWith('.test.ts'))
  const reached = staticallyReachable(modules, 'src/sdk/agent.ts')
  const loaded = reached.flatMap(({ imports }) =>
    imports.filter(({ kind, target }) => kind !== 'type' && target === undefined),
  )
  expect(
    [...new Set(loaded.map(({ specifier }) => specifier))].filter(
      (specifier) => !specifier.startsWith('node:'),
    ),
  ).toEqual([])
  for (const { path, text } of reached) {
    expect(`${path}: ${/\bBun\.|\brequire\(|import\.meta\.(?:dir|main)|\b__dirname\b/.exec(text)?.[0]}`).toBe(
      `${path}: undefined`,
    )
    // Deno has these globals only when they are imported.
    for (const name of ['process', 'Buffer'] as const) {
      const isUsed = new RegExp(`\\b${name}\\.`).test(text.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, ''))
      expect(
        `${path} ${isUsed && !new RegExp(`import (?:process|\\{ Buffer \\}) from 'node:${name.toLowerCase()}'`).test(text)}`,
      ).toBe(`${path} false`)
    }
  }
})
