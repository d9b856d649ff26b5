// Runs every command where the operating system refuses to read or write: none of them calls that a bug in
// Entire or prints a stack.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(120_000)

// Root ignores file modes, unless it lacks the capabilities for that.
const asUser =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search,-fowner', '--']
    : []

const commands = [
  'status',
  'enable --agent claude-code',
  'enable --agent gemini --force',
  'disable',
  'configure strategy',
  'configure commit_linking always',
  'agent list',
  'session list',
  'session stop --all --force',
  'explain HEAD',
  'rewind --list',
  'rewind --to HEAD --force',
  'diff',
  'undo --force',
  'redo --force',
  'resume main --force',
  'reset --force',
  'clean --force',
  'doctor',
  'doctor --force',
  'doctor logs',
  'doctor trace',
  'doctor bundle',
  'redact --check a.txt',
  'watch --once',
  'disable --uninstall --force',
]

/** What is wrong with the repository, and how it is put right again. */
const refusals: Record<string, (repo: RecordedRepo) => () => void> = {
  'a git directory that cannot be written to': (repo) => setModes(repo, '.git', 'a-w'),
  'a work tree that cannot be written to': (repo) => setModes(repo, '.', 'a-w'),
  'a git directory whose sessions cannot be read': (repo) => setModes(repo, '.git/entire-sessions', 'a-rwx'),
  'settings that cannot be read': (repo) => setModes(repo, '.entire', 'a-rwx'),
  'sessions that are a file': (repo) => replaceByFile(repo, '.git/entire-sessions'),
  'logs that are a file': (repo) => replaceByFile(repo, '.git/entire-logs'),
}

function setModes(repo: RecordedRepo, path: string, change: string): () => void {
  const chmod = (mode: string) => Bun.spawnSync(['chmod', '-R', mode, join(repo.root, path)])
  chmod(change)
  return () => chmod('u+rwX')
}

function replaceByFile(repo: RecordedRepo, path: string): () => void {
  const place = join(repo.root, path)
  mkdirSync(place, { recursive: true })
  renameSync(place, `${place}.aside`)
  writeFileSync(place, 'not a directory')
  return () => {
    rmSync(place, { force: true })
    if (existsSync(`${place}.aside`)) renameSync(`${place}.aside`, place)
  }
}

test.each(Object.entries(refusals))('%s is never called a bug', async (_, refuse) => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'a\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  await agent.turn('write b', { 'b.txt': 'b\n' })
  const restore = refuse(repo)
  try {
    for (const command of commands) {
      const ran = await repo.run([...asUser, binary, ...command.split(' ')])
      const said = `${command}\n${ran.stdout}${ran.stderr}`
      expect(said).not.toMatch(/bug in entire|\n\s+at .*:\d+/)
    }
  } finally {
    restore()
  }
})
