// Clones a project whose `.entire` contains symbolic links: nothing is written, emptied or removed where they
// lead, and turns are recorded all the same.
import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { makeOutside, knownSession as session } from '../support/outside.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(120_000)

function snapshot(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map((entry) => [
      join(entry.parentPath, entry.name),
      readFileSync(join(entry.parentPath, entry.name), 'utf8'),
    ]),
  )
}

/** Puts a link in place of a path; what was below `.entire` goes to where `.entire` leads. */
function plant(repo: RecordedRepo, path: string, target: string): void {
  rmSync(join(repo.root, path), { recursive: true, force: true })
  mkdirSync(dirname(join(repo.root, path)), { recursive: true })
  symlinkSync(target, join(repo.root, path))
}

const links: [string, string][] = [
  ['.entire', '.'],
  ['.entire/logs', '.'],
  ['.entire/logs/entire.log', '.bashrc'],
  ['.entire/tmp', '.'],
  ['.entire/tmp/rewind', 'rewind'],
  ['.entire/metadata', '.'],
  [`.entire/metadata/${session}`, session],
  ['.entire/settings.json', 'settings.json'],
  ['.entire/settings.local.json', 'settings.local.json'],
  ['.entire/.gitignore', '.gitignore'],
]

test.each(links)(
  '%s as a link: everything is recorded, and nothing changes behind it',
  async (path, target) => {
    await using repo = await recordedRepo()
    const outside = makeOutside(repo)
    plant(repo, path, join(outside, target))
    await repo.git('add', '--force', '--', path)
    await repo.git('commit', '--quiet', '--no-verify', '-m', 'a link')
    const before = snapshot(outside)
    const agent = fakeAgent(repo, { session })
    await agent.start()
    await agent.turn('write a file', { 'a.txt': 'one\n', 'b.txt': 'one\n' })
    await agent.turn('write it again', { 'a.txt': 'two\n' })
    expect(snapshot(outside)).toEqual(before)
    const [branch = ''] = await repo.shadows()
    expect(await repo.paths(branch)).toContain('a.txt')
    const list = await repo.entire(['rewind', '--list', '--json'])
    // Settings behind a link are not read, and the person hears of it.
    if (path === '.entire' || path.includes('settings'))
      expect(list).toMatchObject({ code: 0, err: expect.stringContaining(`${path} is a symbolic link`) })
    await repo.entire(['rewind', '--to', JSON.parse(list.out).at(-1).id, '--force'])
    await repo.entire(['clean', '--all', '--dry-run'])
    expect(snapshot(outside)).toEqual(before)
    await repo.commitAs('human', 'a file', 'a.txt')
    expect(await repo.checkpointsOf()).toHaveLength(1)
    for (const args of [
      ['configure', 'log_level', 'debug'],
      ['configure', '--project', 'log_level', 'debug'],
      ['enable', '--agent', 'claude-code'],
      ['status', '--detailed'],
      ['doctor', '--force'],
      ['doctor', 'logs'],
      ['clean', '--all', '--force'],
      ['disable'],
      ['disable', '--uninstall', '--force'],
    ]) {
      const ran = await repo.entire(args)
      expect({ args, left: snapshot(outside), bug: /\bat .*\.ts:\d+/.test(ran.err) }).toEqual({
        args,
        left: before,
        bug: false,
      })
    }
  },
)

test('disable --uninstall leaves what the user keeps in .entire, and removes what is left empty', async () => {
  await using repo = await recordedRepo()
  await fakeAgent(repo).turn('write a file', { 'a.txt': 'one\n' })
  repo.write('.entire/notes.md', 'mine\n')
  repo.write('.entire/tmp/sketch.txt', 'mine\n')
  writeFileSync(join(repo.root, '.entire/.gitignore'), `${repo.read('.entire/.gitignore')}notes.md\n`)
  const ran = await repo.entire(['disable', '--uninstall', '--force'])
  expect(ran.out).toContain('Left your own files in .entire')
  const left = readdirSync(join(repo.root, '.entire'), { recursive: true }).toSorted()
  expect(left).toEqual(['.gitignore', 'notes.md', 'tmp', 'tmp/sketch.txt'])
  expect(repo.read('.entire/.gitignore')).toBe('notes.md\n')
})

test('a rewind whose directory became a link after the plan neither writes nor deletes behind it', async () => {
  await using repo = await recordedRepo()
  const outside = join(repo.base, 'home', 'elsewhere')
  const agent = fakeAgent(repo)
  await agent.turn('write', { 'src/a.txt': 'one\n' })
  await agent.turn('write', { 'src/a.txt': 'two\n', 'src/b.txt': 'two\n' })
  cpSync(join(repo.root, 'src'), outside, { recursive: true })
  const before = snapshot(outside)
  rmSync(join(repo.root, 'src'), { recursive: true })
  symlinkSync(outside, join(repo.root, 'src'))
  const points = JSON.parse((await repo.entire(['rewind', '--list', '--json'])).out)
  for (const { id } of points) await repo.entire(['rewind', '--to', id, '--force'])
  expect(snapshot(outside)).toEqual(before)
  expect(existsSync(outside)).toBe(true)
})

test.each([
  ['.claude', '.', ['claude-code']],
  ['.claude/settings.json', 'settings.json', ['claude-code']],
  ['.gemini/settings.json', 'missing.json', ['gemini']],
  ['.pi', '.', ['pi']],
])('%s as a link out of the clone: agents are not set up behind it', async (path, target, agents) => {
  await using repo = await recordedRepo()
  const outside = makeOutside(repo)
  plant(repo, path, join(outside, target))
  const before = snapshot(outside)
  for (const args of [
    ['agent', 'add', ...agents],
    ['doctor', '--force'],
    ['disable', '--uninstall', '--force'],
  ]) {
    const ran = await repo.entire(args)
    expect({ args, left: snapshot(outside), bug: /bug in entire/.test(ran.err) }).toEqual({
      args,
      left: before,
      bug: false,
    })
    if (args[0] === 'agent')
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('leads out of the work tree') })
  }
})

test.each([
  ['.entire', ['enable', '--agent', 'claude-code'], '.entire is a file, where a directory is needed.'],
  ['.claude', ['agent', 'add', 'claude-code'], '.claude is a file, where a directory is needed.'],
  [
    '.entire/settings.json/x',
    ['configure', '--project', 'log_level', 'debug'],
    '.entire/settings.json is a directory',
  ],
])('%s in the way is named, not reported as a bug', async (path, args, message) => {
  await using repo = await recordedRepo()
  const [top = ''] = path.split('/')
  rmSync(join(repo.root, top), { recursive: true })
  repo.write(path, 'x\n')
  expect(await repo.entire(args)).toMatchObject({ code: 1, err: expect.stringContaining(message) })
})

test('settings that are nested too deeply are invalid, not a bug', async () => {
  await using repo = await recordedRepo()
  repo.write('.entire/settings.local.json', '['.repeat(50_000))
  const ran = await repo.entire(['configure', 'log_level', 'debug'])
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('is not valid JSON') })
})

test('core.hooksPath on a directory of the project that is a link out of it: no hook is written there', async () => {
  await using repo = await recordedRepo()
  const outside = makeOutside(repo)
  plant(repo, '.githooks', outside)
  await repo.git('config', 'core.hooksPath', '.githooks')
  const before = snapshot(outside)
  const ran = await repo.entire(['enable', '--agent', 'claude-code'])
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('.githooks leads out of the work tree') })
  await fakeAgent(repo, { session }).turn('write a file', { 'a.txt': 'one\n' })
  await repo.entire(['doctor', '--force'])
  expect(snapshot(outside)).toEqual(before)
})
