import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { until } from '../../../test/support/until.ts'
import { Registry } from '../../extensions/registry.ts'
import { callTool } from '../../extensions/tool-calls.ts'
import { run } from '../../std/process.ts'
import { readPigletConfig } from '../settings/config.ts'
import { changeSize } from './change-files.ts'
import { searchLines } from './grep.ts'
import { ownTools } from './own-tools.ts'
import { globMatcher } from './project-files.ts'
import { Undo } from './tool-context.ts'

let base: string
let cwd: string
let tails: string[]
let registry: Registry
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'entire-tools-')))
  cwd = join(base, 'project')
  mkdirSync(cwd)
  tails = []
  registry = new Registry()
  const tools = ownTools({
    cwd,
    env: { PATH: process.env.PATH, HOME: base },
    config: () => readPigletConfig(base),
    undo: new Undo(base),
    seen: new Map(),
    tail: (id, line) => void tails.push(`${id} ${line}`),
  })
  registry.set({ owner: 'builtin', rank: 0, local: { tools, commands: [] } })
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const never = new AbortController().signal
async function call(name: string, args: Record<string, unknown>, signal = never): Promise<string> {
  const outcome = await callTool(
    { registry, running: { find: () => undefined, whyNot: () => '' } },
    name,
    args,
    { id: 'c1', signal },
  )
  const text = outcome?.content[0]?.text ?? ''
  expect(outcome?.isError).toBe(text.startsWith('[error:') || outcome?.errorCode !== undefined)
  return text
}
function write(path: string, text: string): string {
  const full = join(cwd, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, text)
  return full
}
const later = (path: string) => utimesSync(path, new Date(Date.now() + 60_000), new Date(Date.now() + 60_000))

describe('read', () => {
  test('shows lines with their numbers, from an offset and up to a limit', async () => {
    write('a.txt', 'one\ntwo\nthree\nfour')
    expect(await call('read', { path: 'a.txt' })).toBe('1\tone\n2\ttwo\n3\tthree\n4\tfour')
    expect(await call('read', { path: join(cwd, 'a.txt'), offset: 2, limit: '2' })).toBe(
      '2\ttwo\n3\tthree\n... 1 more lines, from 4 on',
    )
    write('../config.yaml', 'tools: { readLimit: 1 }\n')
    expect(await call('read', { path: '~/project/a.txt' })).toBe('1\tone\n... 3 more lines, from 2 on')
  })

  test('limits what it shows of endless lines', async () => {
    write('long.json', 'x'.repeat(12_000_000))
    const said = await call('read', { path: 'long.json' })
    expect([said.length < 1_000_200, said.slice(-60)]).toEqual([
      true,
      `${'... 11000002 more characters: the lines are too long to show'}`,
    ])
  })

  test('reports a missing file, a directory, a binary file and wrong arguments', async () => {
    write('b.bin', 'a\0b')
    expect(await call('read', { path: 'none' })).toBe(
      `[error:FILE_NOT_FOUND] ${join(cwd, 'none')} does not exist\nhint: look for it with find or ls`,
    )
    expect(await call('read', { path: '.' })).toStartWith('[error:NOT_REGULAR_FILE]')
    expect(await call('read', { path: 'b.bin' })).toStartWith('[error:INVALID_ARGS]')
    expect(await call('read', {})).toBe('[error:INVALID_ARGS] path must be a string')
    expect(await call('read', { path: 'b.bin', offset: 0 })).toBe(
      '[error:INVALID_ARGS] offset must be a positive whole number',
    )
    expect(await call('read', { path: '' })).toBe('[error:INVALID_ARGS] path must not be empty')
  })
})

describe('write and edit', () => {
  test('create directories, and keep modes, links and the earlier content', async () => {
    expect(await call('write', { path: 'x/y.txt', content: 'new\n' })).toBe(
      `Created ${join(cwd, 'x/y.txt')} (4 bytes).`,
    )
    expect(statSync(join(cwd, 'x/y.txt')).mode & 0o777).toBe(0o644)
    const script = write('run.sh', 'old\n')
    chmodSync(script, 0o755)
    symlinkSync('run.sh', join(cwd, 'link'))
    await call('write', { path: 'link', content: 'newer\n' })
    expect([
      lstatSync(join(cwd, 'link')).isSymbolicLink(),
      readFileSync(script, 'utf8'),
      statSync(script).mode & 0o777,
    ]).toEqual([true, 'newer\n', 0o755])
    expect(new Undo(base).list()).toEqual({ [script]: 4 })
    expect(await call('write', { path: 'x', content: '' })).toStartWith('[error:NOT_REGULAR_FILE]')
  })

  test('refuse a file that has changed since it was read', async () => {
    const path = write('a.txt', 'one\n')
    await call('read', { path: 'a.txt' })
    later(path)
    expect(await call('write', { path: 'a.txt', content: 'x' })).toStartWith('[error:FILE_STALE]')
    expect(await call('edit', { path: 'a.txt', old_text: 'one', new_text: 'x' })).toStartWith(
      '[error:FILE_STALE]',
    )
    await call('read', { path: 'a.txt' })
    expect(await call('edit', { path: 'a.txt', old_text: 'one', new_text: 'x' })).toBe(
      `Changed ${path} (+1 -1).`,
    )
    expect(await call('write', { path: 'a.txt', content: 'again' })).toStartWith('Replaced')
  })

  test('replace a text that occurs once, with straight or curly quotes', async () => {
    const path = write('a.txt', 'say \u201chi\u201d, aba\n')
    expect(await call('edit', { path: 'a.txt', old_text: 'a', new_text: 'b' })).toStartWith(
      '[error:NOT_UNIQUE]',
    )
    expect(await call('edit', { path: 'a.txt', old_text: 'zzz', new_text: 'b' })).toStartWith(
      '[error:INVALID_ARGS] old_text is not in',
    )
    expect(await call('edit', { path: 'a.txt', old_text: '', new_text: 'b' })).toStartWith(
      '[error:INVALID_ARGS]',
    )
    await call('edit', { path: 'a.txt', old_text: 'say "hi"', new_text: 'said $&' })
    expect(readFileSync(path, 'utf8')).toBe('said $&, aba\n')
  })

  test('report how much they changed', () => {
    expect(changeSize('a\nb\nc\n', 'a\nx\ny\nc\n')).toEqual({ added: 2, removed: 1, files: 1, hunks: 1 })
    expect(changeSize('a\n', 'a\n')).toEqual({ added: 0, removed: 0, files: 1, hunks: 0 })
    expect(changeSize('', 'a\nb')).toEqual({ added: 2, removed: 0, files: 1, hunks: 1 })
    expect(changeSize('a\na\n', 'a\n')).toEqual({ added: 0, removed: 1, files: 1, hunks: 1 })
  })
})

describe('bash', () => {
  test('returns the output of a command, and publishes its last lines while it runs', async () => {
    expect(await call('bash', { command: 'pwd; echo oops >&2; printf end' })).toBe(
      `${cwd}\nend\nSTDERR:\noops\n`,
    )
    expect(tails).toEqual([`c1 ${cwd.slice(-80)}`])
    expect(await call('bash', { command: 'true' })).toBe('(no output)')
  })

  test('reports how it ended, and knows programs whose exit code 1 means no', async () => {
    expect(await call('bash', { command: 'echo x; exit 3' })).toBe(
      '[error:EXIT_NONZERO] the command ended with exit code 3\nx\n',
    )
    expect(await call('bash', { command: 'echo a | grep b' })).toBe('(no output)')
    expect(
      await call('bash', { command: 'LC_ALL=C /usr/bin/cmp /dev/null config-none; exit 1' }),
    ).toStartWith('[error:EXIT_NONZERO]')
    expect(await call('bash', { command: 'sleep 20', timeout: 1 })).toBe(
      '[error:TIMEOUT] the command took more than 1 s\n\nhint: give a timeout of up to 300 s',
    )
  })

  test('limits the output, and ends every process it started when it is aborted', async () => {
    write('../config.yaml', 'bash: { maxStdout: 10 }\n')
    expect(await call('bash', { command: 'yes | head -c 100000; echo done >&2' })).toBe(
      'y\ny\ny\ny\ny\n\n... the rest was left out\nSTDERR:\ndone\n',
    )
    const controller = new AbortController()
    const running = call('bash', { command: 'echo on; (sleep 30; touch late) & wait' }, controller.signal)
    await until(() => tails.length !== 0)
    controller.abort(new Error('enough'))
    expect(await running.catch((error: Error) => error.message)).toContain('enough')
  })
})

describe('grep, find and ls', () => {
  beforeEach(() => {
    write('src/a.ts', 'const one = 1\nconst Two = 2\n')
    write('src/deep/b.test.ts', 'one\n')
    write('out/c.ts', 'one\n')
    write('node_modules/d.ts', 'one\n')
    write('e.bin', 'one\0')
  })

  test('leave out dependencies and files that git ignores', async () => {
    expect(await call('find', { pattern: '*.ts' })).toBe('out/c.ts\nsrc/a.ts\nsrc/deep/b.test.ts')
    write('.gitignore', 'out\nnode_modules\n')
    await run(['git', 'init', '-q'], { cwd, env: { ...process.env, HOME: base } })
    expect(await call('find', { pattern: '*.ts', limit: 1 })).toBe('src/a.ts\n... and 1 more')
    expect(await call('find', { pattern: 'src/**/*.test.*' })).toBe('src/deep/b.test.ts')
    expect(await call('find', { pattern: '*.go' })).toBe('No files found.')
    expect(await call('grep', { pattern: 'one' })).toBe('src/a.ts:1:const one = 1\nsrc/deep/b.test.ts:1:one')
  })

  test('find lines by an expression, in several files or in one', async () => {
    expect(await call('grep', { pattern: '^const two', ignoreCase: true, path: 'src' })).toBe(
      'a.ts:2:const Two = 2',
    )
    expect(await call('grep', { pattern: '\\d', path: 'src/a.ts', limit: 1 })).toBe(
      '1:const one = 1\n... and more: only the first 1 are shown',
    )
    expect(await call('grep', { pattern: 'one', glob: 'src/*.ts' })).toBe('src/a.ts:1:const one = 1')
    expect(await call('grep', { pattern: 'nowhere' })).toBe('No matches.')
    expect(await call('grep', { pattern: '(' })).toStartWith(
      '[error:INVALID_ARGS] pattern is not a regular expression',
    )
    expect(await call('grep', { pattern: 'x', path: 'none' })).toStartWith('[error:FILE_NOT_FOUND]')
  })

  test('list a directory', async () => {
    expect(await call('ls', {})).toBe('e.bin\nnode_modules/\nout/\nsrc/')
    expect(await call('ls', { path: 'src', limit: 1 })).toBe('a.ts\n... and 1 more')
    expect(await call('ls', { path: 'none' })).toStartWith('[error:FILE_NOT_FOUND]')
  })
})

test('an endless search is ended by its time limit', async () => {
  const path = write('long.txt', `${'a'.repeat(40)}!\n`.repeat(200))
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, 5)
  const options = { signal: never, withinMs: 200 }
  const found = await searchLines(
    { files: [{ name: 'f', path }], pattern: '^(a|a)+$', ignoreCase: false, limit: 1 },
    options,
  )
  clearInterval(timer)
  expect([found, ticks > 0]).toEqual([undefined, true])
})

test('patterns mean the same as in a shell', () => {
  const table: [string, string[], string[]][] = [
    ['*.ts', ['a.ts', 'x/a.ts'], ['a.tsx', 'a.ts/b']],
    ['src/*.ts', ['src/a.ts'], ['src/x/a.ts', 'a.ts']],
    ['src/**', ['src/a', 'src/x/y'], ['srcs/a']],
    ['**/x/*.{js,ts}', ['x/a.js', 'y/x/b.ts'], ['x/a.go']],
    ['./a?.[ch]', ['ab.c', 'ac.h'], ['a.c', 'ab.o']],
    ['[!a]+(b).txt', ['c+(b).txt'], ['a+(b).txt']],
  ]
  for (const [pattern, yes, no] of table) {
    const matches = globMatcher(pattern)
    expect([pattern, yes.filter((path) => !matches(path)), no.filter(matches)]).toEqual([pattern, [], []])
  }
})
