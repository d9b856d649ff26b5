// Does to a work tree what people, agents and git do between two steps, as data that a property test draws,
// shrinks and prints.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { RecordedRepo } from '../support/recorded-repo.ts'

// Names that are files at one time and directories at another, and differ only in case.
const places = [
  'README.md',
  'Readme.md',
  'lib',
  'lib/a.ts',
  'lib/deep',
  'lib/deep/b.ts',
  'docs',
  'docs/c.md',
  'x',
]
const patterns = ['', 'lib/\n', '*.ts\n', 'docs/\nx\n', '!x\n']

export interface Change {
  type: keyof typeof changes
  at: string
  to: string
  number: number
}

export const change: fc.Arbitrary<Change> = fc.record({
  type: fc.constantFrom(
    ...(['edit', 'edit', 'edit', 'editUnseen', 'editUnseen', 'remove', 'move', 'move', 'moveIn'] as const),
    ...(['makeDirectory', 'makeFile', 'mode', 'link', 'ignore', 'ignore', 'stage', 'unstage'] as const),
    ...(['revert', 'stash', 'pop', 'drop', 'attributes', 'ownRepository', 'submodule'] as const),
    ...(['amend', 'rebase', 'reset'] as const),
  ),
  at: fc.constantFrom(...places),
  to: fc.constantFrom(...places),
  number: fc.nat(1_000_000),
})

export async function play(repo: RecordedRepo, event: Change): Promise<void> {
  await changes[event.type](repo, event)
}

type Act = (repo: RecordedRepo, event: Change) => void | Promise<void>

const changes = {
  edit(repo, { at, number }) {
    if (kindOf(repo, at) !== 'directory') put(repo, at, `line ${number}\nanother\n`)
  },
  // Same size, same times.
  editUnseen(repo, { at, number }) {
    if (kindOf(repo, at) !== 'file') return
    const path = join(repo.root, at)
    const { atime, mtime, size } = lstatSync(path)
    const letter = String.fromCharCode(97 + (number % 26))
    writeFileSync(
      path,
      readFileSync(path, 'latin1').slice(0, size - 2) + letter.repeat(Math.min(size, 2)),
      'latin1',
    )
    utimesSync(path, atime, mtime)
  },
  remove(repo, { at }) {
    if (isInside(repo, at)) rmSync(join(repo.root, at), { recursive: true, force: true })
  },
  move(repo, { at, to }) {
    if (
      !isInside(repo, at) ||
      kindOf(repo, at) === 'absent' ||
      to.startsWith(`${at}/`) ||
      at.startsWith(`${to}/`) ||
      at === to
    )
      return
    makeRoom(repo, to)
    renameSync(join(repo.root, at), join(repo.root, to))
  },
  // Files that are older than any step.
  moveIn(repo, { to, number }) {
    const dir = mkdtempSync(join(repo.base, 'old-'))
    mkdirSync(join(dir, 'sub'))
    for (const name of ['one.ts', 'sub/two.md']) {
      writeFileSync(join(dir, name), `${name} ${number}\n`)
      utimesSync(join(dir, name), 1_600_000_000, 1_600_000_000)
    }
    makeRoom(repo, to)
    renameSync(dir, join(repo.root, to))
  },
  makeDirectory(repo, { at, number }) {
    if (kindOf(repo, at) === 'directory') return
    makeRoom(repo, at)
    put(repo, `${at}/inner-${number % 3}.md`, `${number}\n`)
  },
  makeFile(repo, { at, number }) {
    makeRoom(repo, at)
    put(repo, at, `${number}\n`)
  },
  mode(repo, { at, number }) {
    if (kindOf(repo, at) === 'file') chmodSync(join(repo.root, at), number % 2 === 0 ? 0o755 : 0o644)
  },
  // Sometimes to a directory with the same files in it.
  link(repo, { at, to }) {
    makeRoom(repo, at)
    symlinkSync(to, join(repo.root, at))
  },
  ignore(repo, { number }) {
    repo.write('.gitignore', patterns[number % patterns.length] ?? '')
  },
  attributes(repo, { number }) {
    repo.write('.gitattributes', number % 2 === 0 ? '*.md text eol=crlf\n' : '')
  },
  stage: async (repo, { at }) => void (await repo.run(['git', 'add', '--all', '--', at])),
  unstage: async (repo, { at }) => void (await repo.run(['git', 'reset', '--quiet', '--', at])),
  revert: async (repo, { at }) => void (await repo.run(['git', 'checkout', '--quiet', 'HEAD', '--', at])),
  stash: async (repo) => void (await repo.run(['git', 'stash', '--quiet', '--include-untracked'])),
  pop: async (repo) => void (await repo.run(['git', 'stash', 'pop', '--quiet'])),
  drop: async (repo) => void (await repo.run(['git', 'stash', 'drop', '--quiet'])),
  amend: async (repo) =>
    void (await repo.run(['git', 'commit', '--quiet', '--all', '--amend', '--no-edit'], {
      env: { ...repo.env, ENTIRE_TEST_TTY: '1' },
    })),
  async rebase(repo) {
    const args = ['-c', 'rebase.autoStash=true', 'rebase', '--quiet', '--force-rebase', 'HEAD~1']
    const ran = await repo.run(['git', ...args], { env: { ...repo.env, GIT_EDITOR: 'true' } })
    if (ran.code !== 0) await repo.run(['git', 'rebase', '--abort'])
  },
  async reset(repo, { number }) {
    // Not to before the set up, where recording is not enabled.
    if ((await repo.run(['git', 'rev-parse', '--verify', '--quiet', 'HEAD~2'])).code !== 0) return
    const way = ['--soft', '--mixed', '--hard'][number % 3] as string
    await repo.run(['git', 'reset', '--quiet', way, 'HEAD~1'])
  },
  ownRepository: async (repo, { at }) => void (await initAt(repo, at)),
  async submodule(repo, { at }) {
    if (await initAt(repo, at)) await repo.run(['git', '-c', 'advice.addEmbeddedRepo=false', 'add', '--', at])
  },
} satisfies Record<string, Act>

async function initAt(repo: RecordedRepo, at: string): Promise<boolean> {
  if (kindOf(repo, at) !== 'directory' || !isInside(repo, at)) return false
  await repo.git('init', '--quiet', at)
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
  await repo.git('-C', at, ...who, 'commit', '--quiet', '--allow-empty', '-m', 'own')
  return true
}

type Kind = 'absent' | 'file' | 'directory' | 'other'

function kindOf({ root }: RecordedRepo, path: string): Kind {
  try {
    const stat = lstatSync(join(root, path))
    return stat.isDirectory() ? 'directory' : stat.isFile() ? 'file' : 'other'
  } catch {
    return 'absent'
  }
}

/** No directory above the path is a link or a file. */
function isInside(repo: RecordedRepo, path: string): boolean {
  const parents = path.split('/').slice(0, -1)
  return parents.every((_, index) => kindOf(repo, parents.slice(0, index + 1).join('/')) === 'directory')
}

function put(repo: RecordedRepo, path: string, content: string): void {
  if (kindOf(repo, path) === 'other') rmSync(join(repo.root, path))
  makeParents(repo, path)
  repo.write(path, content)
}

// What is in the way goes.
function makeRoom(repo: RecordedRepo, path: string): void {
  makeParents(repo, path)
  rmSync(join(repo.root, path), { recursive: true, force: true })
}

function makeParents(repo: RecordedRepo, path: string): void {
  const parts = path.split('/').slice(0, -1)
  for (const [index] of parts.entries()) {
    const dir = join(repo.root, ...parts.slice(0, index + 1))
    if (kindOf(repo, parts.slice(0, index + 1).join('/')) !== 'directory') rmSync(dir, { force: true })
    mkdirSync(dir, { recursive: true })
  }
}
