import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { tempDir } from '../../test/support/repo.ts'
import { takeLock } from './lock.ts'

const script = (body: string) =>
  `import { takeLock } from ${JSON.stringify(join(import.meta.dir, 'lock.ts'))}\n${body}`

function start(source: string) {
  return Bun.spawn([process.execPath, '-e', source], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
}

async function deadProcess(): Promise<number> {
  const child = Bun.spawn(['true'])
  await child.exited
  return child.pid
}

test('a lock is held until it is disposed of, and then leaves nothing', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 'locks', 'one.lock')
  {
    using _held = await takeLock(path, { waitMs: 0 })
    expect(takeLock(path, { waitMs: 5 })).rejects.toMatchObject({ code: 'busy' })
    await Bun.sleep(20)
  }
  using _again = await takeLock(path, { waitMs: 0 })
  expect(readdirSync(join(dir.base, 'locks'))).toEqual(['one.lock'])
})

test('twenty processes that each increment a counter make twenty', async () => {
  await using dir = tempDir()
  const [lock, counter] = [join(dir.base, 'c.lock'), join(dir.base, 'counter')]
  writeFileSync(counter, '0')
  const add = script(`
    import { readFileSync, writeFileSync } from 'node:fs'
    using held = await takeLock(${JSON.stringify(lock)}, { waitMs: 20000 })
    const now = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'))
    await Bun.sleep(1)
    writeFileSync(${JSON.stringify(counter)}, String(now + 1))`)
  // Each of them first meets the lock of a process that died.
  writeFileSync(lock, `${await deadProcess()} ${hostname()}\n`)
  const children = Array.from({ length: 20 }, () => start(add))
  expect(await Promise.all(children.map((child) => child.exited))).toEqual(Array(20).fill(0))
  expect(readFileSync(counter, 'utf8')).toBe('20')
  expect(readdirSync(dir.base).sort()).toEqual(['counter', 'home'])
}, 30_000)

test('the lock of a process that was killed is taken over', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 'k.lock')
  const owner = start(
    script(
      `await takeLock(${JSON.stringify(path)}, { waitMs: 0 }); console.log('held'); await Bun.sleep(60000)`,
    ),
  )
  await owner.stdout.getReader().read()
  expect(takeLock(path, { waitMs: 5 })).rejects.toMatchObject({ code: 'busy' })
  await Bun.sleep(20)
  owner.kill('SIGKILL')
  await owner.exited
  using _mine = await takeLock(path, { waitMs: 0 })
  expect(readFileSync(path, 'utf8')).toBe(`${process.pid} ${hostname()}\n`)
})

const longAgo = new Date(Date.now() - 700_000)

test.each([
  ['of a dead process here', async () => `${await deadProcess()} ${hostname()}\n`, undefined, 'taken'],
  ['of a living process here', async () => `${process.ppid} ${hostname()}\n`, undefined, 'busy'],
  [
    'of a process elsewhere, whatever its number means here',
    async () => `${await deadProcess()} elsewhere\n`,
    undefined,
    'busy',
  ],
  ['of a process elsewhere, long ago', async () => `1 elsewhere\n`, longAgo, 'taken'],
  ['of a living process, long ago', async () => `${process.ppid} ${hostname()}\n`, longAgo, 'taken'],
  ['without a name yet', async () => '', undefined, 'busy'],
  ['without a name, long ago', async () => '', longAgo, 'taken'],
  ['with nonsense in it, long ago', async () => 'x\0y', longAgo, 'taken'],
])('a lock %s', async (_, content, time, outcome) => {
  await using dir = tempDir()
  const path = join(dir.base, 's.lock')
  writeFileSync(path, await content())
  if (time) utimesSync(path, time, time)
  const result = await takeLock(path, { waitMs: 5 }).then(
    () => 'taken',
    (error) => error.code,
  )
  expect(result).toBe(outcome)
})

test('a lock that another process took over is not removed by its old owner', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 'o.lock')
  const old = await takeLock(path, { waitMs: 0 })
  writeFileSync(path, `${process.ppid} ${hostname()}\n`)
  old[Symbol.dispose]()
  expect(readFileSync(path, 'utf8')).toStartWith(String(process.ppid))
})

test('an interrupted takeover does not block forever', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 't.lock')
  writeFileSync(path, `${await deadProcess()} ${hostname()}\n`)
  writeFileSync(`${path}.takeover`, '1 elsewhere\n')
  utimesSync(`${path}.takeover`, longAgo, longAgo)
  using _mine = await takeLock(path, { waitMs: 5_000 })
  expect(readFileSync(path, 'utf8')).toBe(`${process.pid} ${hostname()}\n`)
  expect(readdirSync(dir.base).sort()).toEqual(['home', 't.lock'])
})
