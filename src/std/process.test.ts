import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { run, startPiped } from './process.ts'

const options = { cwd: tmpdir(), env: { PATH: process.env.PATH } }

test('large input and output pass at the same time', async () => {
  const bytes = Buffer.alloc(20_000_000, 7)
  const result = await run(['cat'], { ...options, stdin: bytes })
  expect(result.stdout.equals(bytes)).toBe(true)
})

test('a process that does not read its input ends with its own exit code', async () => {
  expect((await run(['sh', '-c', 'exit 3'], { ...options, stdin: Buffer.alloc(10_000_000) })).code).toBe(3)
})

test('without input, standard input is at its end', async () => {
  expect((await run(['cat'], options)).stdout).toHaveLength(0)
})

test('only the given environment arrives', async () => {
  const { stdout } = await run(['env'], {
    cwd: tmpdir(),
    env: { ...options.env, A: 'a\nb', GONE: undefined },
  })
  expect(stdout.toString()).toContain('A=a\nb')
  expect(stdout.toString()).not.toMatch(/HOME|GONE/)
})

test('a process that takes too long is killed', async () => {
  expect((await run(['sleep', '60'], { ...options, timeoutMs: 20 })).code).not.toBe(0)
})

test('a program that does not exist is an error with a code', async () => {
  expect(run(['no-such-program'], options)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(() => startPiped(['no-such-program'], options)).toThrow()
})

test('a piped process answers while it runs', async () => {
  const talk = startPiped(['cat'], options)
  for (const word of ['one', 'two']) {
    talk.write(word)
    await talk.flush()
    expect(Buffer.from((await talk.output.read()).value as Uint8Array).toString()).toBe(word)
  }
  expect(await talk.end()).toEqual({ code: 0, stderr: '' })
})

test('writing to a process that has ended is not an error; its end tells why', async () => {
  const talk = startPiped(['sh', '-c', 'echo why >&2; exit 3'], options)
  await talk.output.read()
  talk.write(Buffer.alloc(5_000_000))
  await talk.flush()
  expect(await talk.end()).toEqual({ code: 3, stderr: 'why\n' })
})

test('with a time limit, children that hold the pipes are not awaited', async () => {
  const { code, stdout, stderr } = await run(['sh', '-c', 'sleep 1000 & echo $!; echo why >&2; exit 3'], {
    ...options,
    timeoutMs: 60_000,
  })
  process.kill(Number(stdout))
  expect({ code, stderr }).toEqual({ code: 3, stderr: 'why\n' })
})

test('a process whose time is up can still clean up; one that does not end is killed', async () => {
  const polite = await run(['sh', '-c', 'trap "echo bye; exit 5" TERM; while :; do sleep 0.02; done'], {
    ...options,
    timeoutMs: 50,
  })
  expect({ code: polite.code, said: polite.stdout.toString() }).toEqual({ code: 5, said: 'bye\n' })
  const stubborn = ['sh', '-c', 'trap "" TERM; while :; do sleep 0.02; done']
  expect((await run(stubborn, { ...options, timeoutMs: 50, killMs: 50 })).code).toBe(137)
})
