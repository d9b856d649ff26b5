import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { hostOf, recordingApp } from '../../../test/extensions/app.ts'
import { compileProject, installPackage } from '../../../test/support/install-package.ts'
import { rotatingRows, rotationTitle } from '../../../test/support/rotation.ts'
import { callTool } from '../../extensions/tool-calls.ts'
import { runLimited } from '../../std/limited-process.ts'
import { checkExtension } from '../conformance/extension/check-extension.ts'
import { formatResult } from '../conformance/report.ts'
import { scaffoldExtension } from './scaffold-extension.ts'
import { type ScaffoldLanguage, scaffoldLanguages } from './template.ts'

// The Python of the system first, because a version switcher makes each start slow.
const env = { PATH: `/usr/bin:${process.env.PATH}`, HOME: '/nonexistent' }

let dir: string
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'scaffold-extension-')))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const run = async (argv: string[], cwd: string) => {
  const { code, stdout, stderr, startError } = await runLimited(argv, {
    cwd,
    env,
    timeoutMs: 60_000,
    maxBytes: 1_000_000,
  })
  return { code, output: `${startError ?? ''}${stdout}${stderr}` }
}

/** Returns the directory that contains the extension. */
function write(name: string, language: ScaffoldLanguage): string {
  const base = mkdtempSync(join(dir, `${language}-`))
  for (const { path, content, executable } of scaffoldExtension(name, language)) {
    const file = join(base, name, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content, { mode: executable ? 0o755 : 0o644 })
  }
  return base
}

const ownTests: Record<ScaffoldLanguage, string[]> = {
  ts: ['node', '--test', 'test/'],
  python: ['python3', '-m', 'unittest'],
  sh: ['./test.sh'],
}

// Each rule starts the extension; its own tests are run every time.
const checked = rotatingRows(scaffoldLanguages)

describe.each([...scaffoldLanguages])('a new extension in %s', (language) => {
  let base: string
  beforeAll(async () => {
    base = write('my-words', language)
    if (language !== 'ts') return
    installPackage(join(base, 'my-words'))
    await compileProject(join(base, 'my-words'))
  }, 60_000)

  test('passes its own tests', async () => {
    const { code, output } = await run(ownTests[language], join(base, 'my-words'))
    expect(code === 0 ? '' : output).toBe('')
  })

  test('runs under a host: its tool answers, its command notifies the user, and it ends at `stop`', async () => {
    const { app, told, logged } = recordingApp(base)
    const host = hostOf(base, app, { env })
    await host.start()
    const outcome = await callTool(
      host,
      'my_words',
      { text: 'one two "three"' },
      { id: 'c', signal: new AbortController().signal },
    )
    expect(outcome).toMatchObject({
      isError: false,
      content: [
        { type: 'text', text: expect.stringMatching(language === 'sh' ? /^Filesystem.*\n/ : /^3 words$/) },
      ],
    })
    const live = host.find('my-words')
    await live?.request('command/execute', { name: 'my-words', args: 'a "b"' })
    expect(told.at(-1)?.[1]).toMatchObject({ message: `my-words runs in ${base}. a "b"` })
    expect(await live?.ping(2000)).toBe(true)
    await host.stop()
    expect((await live?.exited)?.reason).toBe('exit code 0')
    expect(logged.filter((line) => !line.startsWith('debug'))).toEqual([])
  })

  const title = `passes every rule of the protocol (${rotationTitle})`
  if (checked.includes(language))
    test(title, async () => {
      // A shell reads long lines byte by byte, and the machine may be busy.
      const results = await checkExtension(join(base, 'my-words'), { env, limits: { answerMs: 30_000 } })
      expect(results.filter(({ failure }) => failure !== undefined).flatMap(formatResult)).toEqual([])
    })

  test('has no placeholder left', () => {
    for (const { path, content } of scaffoldExtension('my-words', language))
      expect(`${path} ${content}`).not.toMatch(/\{\{\w+\}\}/)
  })
})

test.each(['', 'My-Ext', 'a b', '../x', '-a', '1a', 'a--b', 'a-', "a';x", 'a'.repeat(51)])(
  '%j is not a valid name',
  (name) => {
    expect(() => scaffoldExtension(name, 'sh')).toThrow('is not a valid value for the name of an extension')
  },
)
