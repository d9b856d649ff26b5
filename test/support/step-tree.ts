// Compares a step with the work tree: git itself says which files there are, and how it would store them.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { isInfrastructure } from '../../src/checkpoints/layout.ts'
import type { FakeAgent } from './fake-agent.ts'
import type { RecordedRepo } from './recorded-repo.ts'

/**
 * Throws unless the step holds exactly the files of the work tree, tracked or not ignored, byte for byte and
 * mode for mode. `others`: paths that it may hold besides, because they are stashed.
 */
export async function expectStepIsWorktree(
  repo: RecordedRepo,
  { step, others = [] }: { step?: string; others?: string[] } = {},
): Promise<void> {
  const rev = step ?? repo.shadow(await repo.head())
  const [stored, onDisk] = await Promise.all([readFiles(repo, rev), readWorktree(repo)])
  const allowed = new Set(others)
  const suspects = [...new Set([...stored.keys(), ...onDisk.keys()])].filter(
    (path) => stored.get(path) !== onDisk.get(path) && !(allowed.has(path) && !onDisk.has(path)),
  )
  const excused = await Promise.all(
    suspects.map(
      async (path) => !onDisk.has(path) && (await isIgnoredButCommitted(repo, path, stored.get(path))),
    ),
  )
  const differing = suspects.filter((_, index) => !excused[index])
  if (differing.length === 0) return
  const lines = differing.map(
    (path) => `${path}: step ${stored.get(path) ?? 'nothing'}, disk ${onDisk.get(path) ?? 'nothing'}`,
  )
  throw new Error(`The step ${rev} is not the work tree:\n${lines.join('\n')}`)
}

/**
 * Makes the agent check every step: whatever its hooks save is the work tree, and when a turn begins with uncommitted
 * work, the last step holds it. What is stashed may be in a step, too.
 */
export function checkSteps(repo: RecordedRepo, agent: FakeAgent): FakeAgent {
  const { prompt, stop, end } = agent
  agent.prompt = async (text) => {
    await prompt(text)
    if ((await repo.git('--no-optional-locks', 'status', '--porcelain', '--', '.', ':!.entire')) !== '')
      await expectStepIsWorktree(repo, { others: await stashedPaths(repo) })
  }
  agent.stop = () => checking(repo, stop)
  agent.end = () => checking(repo, end)
  return agent
}

async function checking(repo: RecordedRepo, hook: () => Promise<void>): Promise<void> {
  const before = await readTip(repo)
  await hook()
  const step = await readTip(repo)
  if (step !== '' && step !== before)
    await expectStepIsWorktree(repo, { step, others: await stashedPaths(repo) })
}

async function readTip(repo: RecordedRepo): Promise<string> {
  const tip = await repo.run(['git', 'rev-parse', '--verify', '--quiet', repo.shadow(await repo.head())])
  return Buffer.from(tip.stdout).toString().trim()
}

/** Steps also hold what was stashed last. */
export async function stashedPaths(repo: RecordedRepo): Promise<string[]> {
  const lists = ['refs/stash', 'refs/stash^3'].map(async (rev) => {
    const ran = await repo.run(['git', 'ls-tree', '-r', '-z', '--name-only', rev])
    return ran.code === 0 ? Buffer.from(ran.stdout).toString('latin1').split('\0') : []
  })
  return (await Promise.all(lists)).flat()
}

// A file of HEAD that was taken out of the index and is ignored: without it in the step, a rewind would delete it.
async function isIgnoredButCommitted(
  repo: RecordedRepo,
  path: string,
  entry: string | undefined,
): Promise<boolean> {
  const [committed, hashed] = await Promise.all([
    repo.run(['git', 'cat-file', '-e', `HEAD:${path}`]),
    hashOnDisk(repo, path),
  ])
  const oid = Buffer.from(hashed.stdout).toString().trim()
  return committed.code === 0 && hashed.code === 0 && entry?.endsWith(` ${oid}`) === true
}

// Of a link, what it leads to by name: git would follow it.
function hashOnDisk(repo: RecordedRepo, path: string) {
  const place = join(repo.root, Buffer.from(path, 'latin1').toString())
  const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink
    ? repo.run(['git', 'hash-object', '--stdin'], { stdin: readlinkSync(place) })
    : repo.run(['git', 'hash-object', '--', path])
}

// With an index and an object database of its own, so that the repository does not change.
async function readWorktree(repo: RecordedRepo): Promise<Map<string, string>> {
  const dir = mkdtempSync(join(repo.base, 'oracle-'))
  try {
    const index = join(dir, 'index')
    const objects = join(dir, 'objects')
    mkdirSync(objects)
    const own = join(repo.repo.gitDir, 'index')
    if (existsSync(own)) {
      copyFileSync(own, index)
      // Git reads files again that are as young as the index.
      const { atime, mtime } = statSync(own)
      utimesSync(index, atime, mtime)
    }
    const env = {
      ...repo.env,
      GIT_INDEX_FILE: index,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repo.repo.commonDir, 'objects'),
    }
    const git = async (...args: string[]) => {
      const ran = await repo.run(['git', ...args], { env })
      if (ran.code !== 0) throw new Error(`git ${args.join(' ')} failed: ${ran.stderr}`)
      return Buffer.from(ran.stdout).toString('latin1')
    }
    await git('-c', 'advice.addEmbeddedRepo=false', '-c', 'core.safecrlf=false', 'add', '--all')
    return parse(await git('ls-tree', '-r', '-z', (await git('write-tree')).trim()))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function readFiles(repo: RecordedRepo, rev: string): Promise<Map<string, string>> {
  const ran = await repo.run(['git', 'ls-tree', '-r', '-z', rev])
  if (ran.code !== 0) throw new Error(`There is no step ${rev}.`)
  return parse(Buffer.from(ran.stdout).toString('latin1'))
}

// Other repositories inside the work tree are not recorded.
function parse(output: string): Map<string, string> {
  const entries = output.split('\0').flatMap((line) => {
    const [, mode, oid, path] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? []
    return path === undefined || mode === '160000' || isInfrastructure(path)
      ? []
      : [[path, `${mode} ${oid}`] as const]
  })
  return new Map(entries)
}
