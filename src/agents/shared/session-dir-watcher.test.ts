import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { Sign } from '../../model/session-file.ts'
import { readText } from '../../std/file.ts'
import { agents, findAgent } from '../all.ts'
import { sessionDirWatcher } from './session-dir-watcher.ts'

const fixtures = resolve(import.meta.dir, '../../../test/fixtures/agents')
const base = realpathSync(mkdtempSync(join(tmpdir(), 'entire-watcher-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Captured sessions of a project: their files, their ids and their prompts. */
const captured: {
  agent: string
  run: string
  root: string
  sessions: Record<string, [session: string, ...prompts: string[]]>
}[] = [
  {
    agent: 'claude-code',
    run: 's4-subagent',
    root: '/home/dev/app',
    sessions: {
      'f7e03d23-f3b9-4298-adcd-de4c2fe456a6.jsonl': [
        'f7e03d23-f3b9-4298-adcd-de4c2fe456a6',
        'spawn a subagent',
      ],
    },
  },
  {
    agent: 'codex',
    run: 'A1-create',
    root: '/home/dev/app',
    sessions: {
      'rollout-2026-11-15T19-42-57-01a1e0bb-f7e9-71d1-9885-c8386c66670e.jsonl': [
        '01a1e0bb-f7e9-71d1-9885-c8386c66670e',
        'create hello.txt',
      ],
    },
  },
  {
    agent: 'pi',
    run: 'run1-create',
    root: '/home/dev/app',
    sessions: {
      '2026-11-15T19-32-36-141Z_01a1e0b2-7cac-759b-b11e-c3ad235bf442.jsonl': [
        '01a1e0b2-7cac-759b-b11e-c3ad235bf442',
        'create hello.txt',
      ],
    },
  },
]

for (const { agent, run, root, sessions } of captured) {
  test(`the files of ${agent} give the session and the start of a turn; those of subagents are ignored`, async () => {
    const home = join(fixtures, agent, run, 'home')
    const watcher = sessionDirWatcher(findAgent(agent)!)!
    const place = { root, env: { HOME: home } }
    const found: Record<string, string[]> = {}
    for (const path of await watcher.list(place)) {
      const read = await watcher.open(path, place)
      const signs = read?.((readText(path) ?? '').trimEnd().split('\n'), undefined).signs ?? []
      const own = signs.flatMap((sign) =>
        sign.type === 'session' ? sign.session : sign.type === 'prompt' ? (sign.prompt ?? '') : [],
      )
      if (signs.some(({ type }) => type === 'prompt')) found[basename(path)] = own
      if (signs.length > 0) expect(signs.map(({ type }: Sign) => type)).toContain('answer')
    }
    for (const [file, [session, ...prompts]] of Object.entries(sessions)) {
      expect(found[file]?.[0]).toBe(session)
      expect(found[file]?.slice(1)).toEqual(prompts)
    }
    expect(Object.keys(found)).toEqual(Object.keys(sessions))
  })
}

test('a file whose name has only the beginning of the id is identified by its content', async () => {
  const home = join(base, 'gemini-home')
  cpSync(join(fixtures, 'gemini', 'run1-create', 'home'), home, { recursive: true })
  const root = join(base, 'proj')
  mkdirSync(root)
  writeFileSync(join(home, '.gemini/tmp/proj/.project_root'), root)
  const watcher = sessionDirWatcher(findAgent('gemini')!)!
  const place = { root, env: { HOME: home } }
  const [path = ''] = await watcher.list(place)
  const read = await watcher.open(path, place)
  const [first] = read?.((readText(path) ?? '').split('\n'), undefined).signs ?? []
  expect(first).toMatchObject({ type: 'session', session: expect.stringMatching(/^c6e3dc5e-/) })
})

test('a file that is empty, of another project or of another kind is ignored', async () => {
  const dir = join(base, 'claude')
  mkdirSync(dir)
  const watcher = sessionDirWatcher(findAgent('claude-code')!)!
  const place = { root: base, env: { ENTIRE_TEST_CLAUDE_PROJECT_DIR: dir } }
  const path = join(dir, '5e551010-0000-4000-8000-000000000001.jsonl')
  const opened = async (text: string) => {
    writeFileSync(path, text)
    return (await watcher.open(path, place)) !== undefined
  }
  expect(
    await watcher.list({ ...place, env: { ENTIRE_TEST_CLAUDE_PROJECT_DIR: join(base, 'none') } }),
  ).toEqual([])
  expect(await opened('{"type":"user","cwd":"/somewhere/else"}\n')).toBe(false)
  expect(await opened(`{"type":"user","cwd":${JSON.stringify(join(base, 'below'))}}\n`)).toBe(true)
  renameSync(path, join(dir, 'notes.txt'))
  expect(await watcher.list(place)).toEqual([])
})

test('every agent can be watched, except those that keep their sessions elsewhere than in files', () => {
  const unwatched = agents.filter(
    (agent) => agent.watcher === undefined && sessionDirWatcher(agent) === undefined,
  )
  expect(unwatched.map(({ name }) => name)).toEqual(
    agents.filter(({ source }) => source !== undefined).map(({ name }) => name),
  )
})
