// Copies a directory that is made once per test run, because a copy costs a fraction of the commands that
// make it.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Fills `target` with a copy of the template called `name`. `make` fills the template the first time that a
 * test of the run asks for it. Paths inside the template that its files and links mention become paths inside
 * the copy.
 */
export async function copyTemplate(
  name: string,
  target: string,
  make: (dir: string) => Promise<void>,
): Promise<void> {
  const link = join(realpathSync(tmpdir()), 'templates', name)
  if (!existsSync(link)) await makeTemplate(link, make)
  const template = realpathSync(link)
  copyDirectory(template, target, { old: template, new: target })
}

/** A path that the files of a copied directory mention, and what they mention in the copy. */
interface Moved {
  old: string
  new: string
}

/** Copies a directory with its links, modes and times. */
export function copyDirectory(from: string, to: string, moved?: Moved): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, place] = [join(from, entry.name), join(to, entry.name)]
    // The objects of git are named after their content.
    if (entry.isDirectory()) copyDirectory(source, place, entry.name === 'objects' ? undefined : moved)
    else if (entry.isSymbolicLink()) symlinkSync(adapt(readlinkSync(source), moved), place)
    // This one is committed: another URL would be a change.
    else copyFile(source, place, entry.name === '.gitmodules' ? undefined : moved)
  }
}

function copyFile(source: string, place: string, moved: Moved | undefined): void {
  const { mode, atimeMs, mtimeMs } = lstatSync(source)
  // One character per byte, so that every file is the same when it is written again.
  const bytes = moved && { old: asBytes(moved.old), new: asBytes(moved.new) }
  const content = readFileSync(source, 'latin1')
  if (bytes !== undefined && content.includes(bytes.old))
    writeFileSync(place, adapt(content, bytes), { encoding: 'latin1', mode })
  else copyFileSync(source, place)
  utimesSync(place, atimeMs / 1000, mtimeMs / 1000)
}

function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function adapt(text: string, moved: Moved | undefined): string {
  return moved === undefined ? text : text.replaceAll(moved.old, moved.new)
}

// Test files that want the same template at the same time make one each; the first that is complete gets the
// name.
async function makeTemplate(link: string, make: (dir: string) => Promise<void>): Promise<void> {
  mkdirSync(join(link, '..'), { recursive: true })
  const template = mkdtempSync(`${link}.`)
  await make(template)
  try {
    symlinkSync(template, link)
  } catch {
    rmSync(template, { recursive: true })
  }
}

export interface Snapshot extends Disposable {
  /** Puts everything back as it was when the snapshot was taken. */
  restore(): void
}

/** Keeps a copy of a directory beside it. */
export function takeSnapshot(dir: string): Snapshot {
  const copy = `${dir}.snapshot`
  copyDirectory(dir, copy)
  return {
    restore() {
      rmSync(dir, { recursive: true, maxRetries: 3 })
      copyDirectory(copy, dir)
    },
    [Symbol.dispose]: () => rmSync(copy, { recursive: true }),
  }
}
