import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runBounded } from './proc.ts'

const options = { cwd: tmpdir(), env: { PATH: process.env.PATH }, timeoutMs: 20_000, maxBytes: 1000 }
const shell = (script: string, more: Partial<typeof options> & { stdin?: string } = {}) =>
  runBounded(['sh', '-c', script], { ...options, ...more })

test('what is sent arrives, and what is said comes back with the exit code', async () => {
  expect(await shell('cat; echo oh >&2; exit 3', { stdin: 'hello' })).toEqual({ code: 3, stdout: Buffer.from('hello'), stderr: 'oh\n' })
})

test('a process that never ends is killed with everything it started', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'entire-test-'))
  const file = join(dir, 'pid')
  expect(await shell(`sleep 60 & echo $! > ${file}; wait`, { timeoutMs: 500 })).toMatchObject({ cut: 'timeout' })
  const child = Number(readFileSync(file, 'utf8'))
  // A killed process is gone, or a zombie until somebody waits for it.
  const state = () => {
    try {
      return readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.[0]
    } catch {
      return undefined
    }
  }
  for (let tries = 0; tries < 100 && state() !== undefined && state() !== 'Z'; tries += 1) await Bun.sleep(10)
  expect(state() ?? 'Z').toBe('Z')
  rmSync(dir, { recursive: true })
})

test('a process that never stops talking is killed, on either stream', async () => {
  expect(await shell('yes')).toMatchObject({ cut: 'flood' })
  expect(await shell('yes >&2')).toMatchObject({ cut: 'flood' })
})

test('a child that is left behind does not keep anybody waiting', async () => {
  const ran = await shell('sleep 60 & echo done')
  expect(ran).toEqual({ code: 0, stdout: Buffer.from('done\n'), stderr: '' })
})
