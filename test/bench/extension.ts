// Measures the cost of the host: a request to an extension against the same bytes through bare pipes, and
// many extensions against one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExtensionHost } from '../../src/extensions/extension-host.ts'
import type { LiveExtension } from '../../src/extensions/live-extension.ts'
import { readManifest } from '../../src/extensions/manifest.ts'
import { startExtension } from '../../src/extensions/start-extension.ts'
import { requestLine, resultLine } from '../../src/protocol/extension/rpc.ts'
import { startLongRunningChild } from '../../src/std/long-running-child.ts'
import { recordingApp } from '../extensions/app.ts'
import { nodeExtension, recordingSide, startOptions } from '../extensions/live.ts'
import { type Measurement, median, type Result, ratio } from './measure.ts'

const rounds = 40
const perRound = 200
const pipelined = 20_000
const many = 20
/** How long an extension of the second kind has to do before it can answer; the slowest one twice as long. */
const workMs = 300

const text = 'x'.repeat(400)
const params = { callId: 'bench', name: 'echo', args: { text } }
const answer = { content: [{ type: 'text', text }] }

const echo = `function on(method, params, id) {
  if (method === 'initialize') { say({ method: 'register/tool', params: { name: 'echo' } }); answer(id, {}) }
  else if (method === 'tool/execute') answer(id, { content: [{ type: 'text', text: params.args.text }] })
  else if (id !== undefined) say({ id, error: { code: -32601, message: 'no' } })
}`

/** Writes a line of the size of an answer for every line, without parsing anything. */
const bareEcho = `const fs = require('node:fs')
const line = Buffer.from(${JSON.stringify(resultLine(1, answer))})
fs.createReadStream(null, { fd: 3 }).on('data', (chunk) => { for (const byte of chunk) if (byte === 10) fs.writeSync(4, line) }).on('end', () => process.exit(0))
`

export const measureExtension: Measurement = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'entire-bench-'))
  try {
    return [...(await measureRoundTrip(dir)), await measureStarts(dir)]
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

function writeExtension(base: string, name: string, script: string) {
  const dir = join(base, name)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'manifest.yaml'), `name: ${name}\nversion: 1.0\nruntime: node\nentry: index.js\n`)
  writeFileSync(join(dir, 'index.js'), script)
  return readManifest(dir)!
}

async function measureRoundTrip(base: string): Promise<Result[]> {
  const { side } = recordingSide()
  const live = await startExtension(
    writeExtension(base, 'echo', nodeExtension(echo)),
    side,
    startOptions(base),
  )
  const bare = openBare(base)
  try {
    const times = { host: [] as number[], bare: [] as number[] }
    const sides = { host: () => askHost(live), bare: () => bare.ask() }
    for (let round = 0; round < rounds; round += 1) {
      for (const name of round % 2 === 0 ? (['host', 'bare'] as const) : (['bare', 'host'] as const)) {
        const start = performance.now()
        for (let at = 0; at < perRound; at += 1) await sides[name]()
        times[name].push(performance.now() - start)
      }
    }
    const start = performance.now()
    await Promise.all(Array.from({ length: pipelined }, () => askHost(live)))
    const rate = pipelined / ((performance.now() - start) / 1000)
    return [
      ratio(
        `${perRound} questions to an extension, against the same bytes`,
        2,
        median(times.host),
        median(times.bare),
      ),
      {
        name: 'questions per second, all at once',
        value: Math.round(rate),
        unit: '',
        detail: `${pipelined} of them`,
      },
    ]
  } finally {
    await live.stop()
    await bare.stop()
  }
}

const askHost = async (live: LiveExtension) => void (await live.request('tool/execute', params))

function openBare(base: string) {
  writeFileSync(join(base, 'bare.js'), bareEcho)
  const child = startLongRunningChild(['node', join(base, 'bare.js')], { cwd: base, env: process.env })
  const line = requestLine(1, 'tool/execute', params)
  let done: () => void = () => {}
  child.fromChild.on('data', (chunk: Buffer) => {
    if (chunk.at(-1) === 10) done()
  })
  return {
    ask: () =>
      new Promise<void>((resolve) => {
        done = resolve
        child.toChild.write(line)
      }),
    async stop() {
      child.toChild.end()
      await child.exited
    },
  }
}

async function measureStarts(base: string): Promise<Result> {
  const alone = join(base, 'alone')
  const together = join(base, 'together')
  const slow = (ms: number) =>
    nodeExtension(`function on(method, params, id) {
      if (method === 'initialize') setTimeout(() => answer(id, {}), ${ms})
      else if (id !== undefined) say({ id, error: { code: -32601, message: 'no' } })
    }`)
  writeExtension(alone, 'slowest', slow(workMs * 2))
  for (let at = 0; at < many; at += 1)
    writeExtension(together, `e${at}`, slow(at === 0 ? workMs * 2 : workMs))
  const times = { one: [] as number[], all: [] as number[] }
  for (let round = 0; round < 5; round += 1) {
    times.one.push(await startAll(alone))
    times.all.push(await startAll(together))
  }
  return ratio(
    `start of ${many} extensions, against the slowest alone`,
    3,
    median(times.all),
    median(times.one),
  )
}

async function startAll(userDir: string): Promise<number> {
  const { app } = recordingApp(userDir)
  const host = createExtensionHost({
    app,
    places: { userDir, projectDir: undefined, disabled: [] },
    env: process.env,
    local: { tools: [], commands: [] },
    clock: () => new Date(),
  })
  const start = performance.now()
  const { extensions } = await host.start()
  const time = performance.now() - start
  const running = extensions.filter(({ name }) => host.find(name)).length
  await host.stop()
  if (running !== extensions.length)
    throw new Error(`${extensions.length - running} extensions did not start`)
  return time
}
