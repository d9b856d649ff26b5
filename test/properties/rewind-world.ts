// Makes a work tree that an agent and a user change, and keeps account of every file that a rewind removed.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { decodePath, nativePathIn } from '../../src/std/encoding.ts'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { checkSteps } from '../support/step-tree.ts'
import { ownFiles } from './rewind-events.ts'

/** Permissions, kind and content, by path. */
export type Disk = Map<string, string>

export interface World extends AsyncDisposable {
  repo: RecordedRepo
  agent: FakeAgent
  running: boolean
  /** What an undo or redo must restore. */
  owed: Map<string, Set<string>>
}

let edits = 0

export async function newWorld(kind: 'plain' | 'linked-worktree'): Promise<World> {
  const repo = await recordedRepo({ kind })
  repo.write('.gitignore', 'build/\n.env\n')
  for (const path of ['tracked.md', 'src/tracked.ts']) repo.write(path, `${path}\n`)
  await repo.commit('setup')
  for (const path of ownFiles.filter((own) => own !== 'src/later.txt'))
    repo.write(path, `the user's ${path}\n`)
  const agent = checkSteps(repo, fakeAgent(repo))
  return {
    repo,
    agent,
    running: false,
    owed: new Map(),
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  }
}

export function readDisk({ root }: RecordedRepo): Disk {
  const disk: Disk = new Map()
  const visit = (dir: string) => {
    for (const name of readdirSync(nativePathIn(root, dir), { encoding: 'buffer' })) {
      const path = dir === '' ? decodePath(name) : `${dir}/${decodePath(name)}`
      if (path === '.git' || path === '.entire') continue
      const place = nativePathIn(root, path)
      const stat = lstatSync(place)
      if (stat.isDirectory()) visit(path)
      else if (stat.isSymbolicLink()) disk.set(path, `link ${readlinkSync(place)}`)
      else disk.set(path, `${(stat.mode & 0o7777).toString(8)} ${readFileSync(place, 'latin1')}`)
    }
  }
  visit('')
  return disk
}

/** Everything that was there and is not any more is owed. */
export function owe(world: World, before: Disk, after: Disk): void {
  for (const [path, content] of before) {
    if (after.get(path) === content) continue
    const contents = world.owed.get(path) ?? new Set()
    world.owed.set(path, contents.add(content))
  }
}

export function settle(world: World, disk: Disk): void {
  for (const [path, content] of disk) world.owed.get(path)?.delete(content)
}

export const change = {
  edit({ repo }: World, file: string): void {
    edits += 1
    makeRoom(repo, file)
    const place = nativePathIn(repo.root, file)
    const old = existsSync(place) && !lstatSync(place).isSymbolicLink() ? readFileSync(place, 'utf8') : ''
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(place)
    repo.write(file, `${old}line ${edits}\n`)
  },
  delete({ repo }: World, file: string): void {
    if (isFile(repo, file)) rmSync(nativePathIn(repo.root, file))
  },
  rename({ repo }: World, file: string, to: string): void {
    if (!isFile(repo, file) || to.startsWith(`${file}/`) || file.startsWith(`${to}/`)) return
    makeRoom(repo, to)
    renameSync(nativePathIn(repo.root, file), nativePathIn(repo.root, to))
  },
  chmod({ repo }: World, file: string, mode: number): void {
    if (isFile(repo, file) && !lstatSync(nativePathIn(repo.root, file)).isSymbolicLink())
      chmodSync(nativePathIn(repo.root, file), mode)
  },
  link({ repo }: World, file: string): void {
    edits += 1
    makeRoom(repo, file)
    rmSync(nativePathIn(repo.root, file), { force: true })
    symlinkSync(`nowhere-${edits}`, nativePathIn(repo.root, file))
  },
}

export function isFile({ root }: RecordedRepo, file: string): boolean {
  const stat = findStat(nativePathIn(root, file))
  return stat?.isFile() === true || stat?.isSymbolicLink() === true
}

// A directory gives way to a file of its name, and a file to a directory.
function makeRoom({ root }: RecordedRepo, file: string): void {
  const place = nativePathIn(root, file)
  if (findStat(place)?.isDirectory()) rmSync(place, { recursive: true })
  const parent = nativePathIn(root, file.slice(0, Math.max(0, file.lastIndexOf('/'))))
  const stat = findStat(parent)
  if (stat !== undefined && !stat.isDirectory()) rmSync(parent)
  mkdirSync(parent, { recursive: true })
}

function findStat(place: string | Buffer) {
  try {
    return lstatSync(place)
  } catch {
    return undefined
  }
}
