// Measures a call of a plugin through the client, against starting the plugin directly.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, makePlugin } from '../../src/agents/external/call.ts'
import { writePlugin } from '../support/sh-plugin.ts'
import { type Measurement, median, ratio } from './measure.ts'

const rounds = 60

export const measureExternal: Measurement = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'entire-bench-'))
  try {
    const path = writePlugin(dir, 'bench')
    const env = { ...process.env, ENTIRE_REPO_ROOT: dir }
    const site = { root: dir, env: process.env, cliVersion: '0', timeoutMs: 30_000, report: () => {} }
    const plugin = makePlugin('bench', path, site)
    const payload = Buffer.from('{"session_id":"bench","timestamp":"2026-01-13T12:00:00Z"}')
    const sides = {
      client: async () => void (await ask(plugin, 'parse-hook', { hook: 'stop' }, payload)),
      direct: async () => {
        const child = Bun.spawn([path, 'parse-hook', '--hook', 'stop'], {
          cwd: dir,
          env,
          stdin: payload,
          stdout: 'pipe',
          stderr: 'pipe',
        })
        await Promise.all([
          new Response(child.stdout).json(),
          new Response(child.stderr).text(),
          child.exited,
        ])
      },
    }
    // The first call loads what the others use.
    await sides.client()
    await sides.direct()
    const times = { client: [] as number[], direct: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? (['client', 'direct'] as const) : (['direct', 'client'] as const)
      for (const side of order) {
        const start = performance.now()
        await sides[side]()
        times[side].push(performance.now() - start)
      }
    }
    return [
      ratio(
        'a hook asked of a plugin, against starting the plugin',
        1.3,
        median(times.client),
        median(times.direct),
      ),
    ]
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
