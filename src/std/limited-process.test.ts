import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LimitedOptions, runLimited } from './limited-process.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'limited-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const sh = (script: string, options: Partial<LimitedOptions> = {}) =>
  runLimited(['/bin/sh', '-c', script], {
    cwd: dir,
    env: { PATH: process.env.PATH },
    timeoutMs: 20_000,
    maxBytes: 1_000_000,
    ...options,
  })

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 200 && isAlive(pid); tries += 1) await Bun.sleep(20)
  return !isAlive(pid)
}

describe('a program that behaves', () => {
  test('gives its exit code and both streams', async () => {
    expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
      code: 3,
      signal: null,
      stdout: Buffer.from('out\n'),
      stderr: 'err\n',
      timedOut: false,
    })
  })

  test('can receive and return megabytes', async () => {
    const bytes = Buffer.alloc(12_000_000, 'x\ny')
    const { stdout, code } = await sh('cat', { stdin: bytes, maxBytes: 20_000_000 })
    expect(code).toBe(0)
    expect(stdout.equals(bytes)).toBe(true)
  })

  test('need not read its input', async () => {
    expect((await sh('exit 0', { stdin: Buffer.alloc(5_000_000) })).code).toBe(0)
  })

  test('may write exactly as much as the limit', async () => {
    expect(await sh('printf 12345', { maxBytes: 5 })).not.toHaveProperty('overflowed')
  })
})

describe('a program that does not behave', () => {
  test('cannot be started: that is a result, not an exception', async () => {
    const result = await runLimited([join(dir, 'absent')], {
      cwd: dir,
      env: {},
      timeoutMs: 5_000,
      maxBytes: 10,
    })
    expect(result.startError).toContain('ENOENT')
    expect(result.code).toBeNull()
  })

  test('hangs: it is killed with its children, and its output is kept', async () => {
    const result = await sh('sleep 600 & echo $!; wait', { timeoutMs: 300 })
    expect(result).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: true })
    expect(await gone(Number(result.stdout.toString()))).toBe(true)
  })

  test.each(['stdout', 'stderr'] as const)('floods %s: it is killed at the limit', async (stream) => {
    const result = await sh(`yes ${stream === 'stderr' ? '>&2' : ''}`, { maxBytes: 100_000 })
    expect(result).toMatchObject({ overflowed: stream, signal: 'SIGKILL', timedOut: false })
    expect(result[stream].length).toBe(100_000)
  })

  test('leaves a child that holds its output: it is not awaited, and is killed', async () => {
    const result = await sh('sleep 600 & echo $!', { timeoutMs: 20_000 })
    expect(result).toMatchObject({ code: 0, timedOut: false, leftBehind: true })
    expect(await gone(Number(result.stdout.toString()))).toBe(true)
  })

  test('leaves a child in a group of its own: it is not awaited either', async () => {
    const result = await sh('setsid sleep 600 & echo $!')
    expect(result).toMatchObject({ code: 0, timedOut: false })
    process.kill(Number(result.stdout.toString()))
  })

  test('gets impossible arguments: that is a result too', async () => {
    const result = await runLimited(['/bin/sh', 'a\0b'], {
      cwd: dir,
      env: {},
      timeoutMs: 5_000,
      maxBytes: 10,
    })
    expect(result.startError).toBeString()
  })

  test('leaves a child that holds none of its pipes: it lives on', async () => {
    const result = await sh('setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $!')
    const pid = Number(result.stdout.toString())
    expect(isAlive(pid)).toBe(true)
    process.kill(pid)
  })

  test('is read while it writes; output beyond the limit may be cut; an abort kills it', async () => {
    const heard: string[] = []
    const controller = new AbortController()
    const onStdout = (piece: Buffer) => {
      heard.push(piece.toString())
      if (heard.join('').includes('enough')) controller.abort()
    }
    const script = 'echo 123456; echo enough; sleep 600'
    expect(
      await sh(script, { maxBytes: 3, onOverflow: 'cut', signal: controller.signal, onStdout }),
    ).toMatchObject({
      signal: 'SIGKILL',
      timedOut: false,
      overflowed: 'stdout',
      stdout: Buffer.from('123'),
    })
    expect(await sh('sleep 600', { signal: AbortSignal.abort() })).toMatchObject({ signal: 'SIGKILL' })
  })

  test('is killed by a signal: the signal is named', async () => {
    expect(await sh('kill -SEGV $$')).toMatchObject({ code: null, signal: 'SIGSEGV' })
  })
})
