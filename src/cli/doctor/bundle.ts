// Writes the bundle for a bug report: collects its files, scrubs them, and packs them into a new archive.

import { closeSync, openSync, realpathSync, writeSync } from 'node:fs'
import { userInfo } from 'node:os'
import { relative, resolve } from 'node:path'
import type { Redaction } from '../../sessions/event-work.ts'
import { EntireError, isErrno, messageOf } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { type Cli, requireRepo } from '../context.ts'
import { clean, tableLines } from '../render/text.ts'
import { type BundleFile, collectBundle } from './bundle-contents.ts'
import { type DoctorRun, openDoctorRun } from './finding.ts'

export interface BundleFlags {
  output?: string
  json?: boolean
}

export async function writeBundle(cli: Cli, flags: BundleFlags): Promise<void> {
  await using run = openDoctorRun(cli, requireRepo(cli, 'doctor bundle'))
  const path = resolve(cli.cwd, flags.output ?? defaultName(cli.clock()))
  const files = await scrubAll(run, await collectBundle(run))
  const bytes = Bun.gzipSync(new Uint8Array(formatTar(files, cli.clock())))
  writeNew(path, bytes)
  if (flags.json)
    return void cli.process.stdout.write(
      formatJson({ path, bytes: bytes.length, files: files.map(({ name, about }) => ({ name, about })) }),
    )
  cli.out(`Wrote ${clean(relative(cli.cwd, path))} (${Math.ceil(bytes.length / 1024)} KiB):`)
  for (const line of tableLines(
    files.map(({ name, about }) => [name, about]),
    { indent: 2 },
  ))
    cli.out(line)
  cli.out(
    '\nNothing was sent. Prompts, transcripts and file contents are not included; secrets are replaced.',
  )
  cli.out(`Review it before you share it: tar -xzOf ${clean(relative(cli.cwd, path))} | less`)
}

async function scrubAll({ repo, recorder, cli }: DoctorRun, files: BundleFile[]): Promise<BundleFile[]> {
  const user = cli.env.USER ?? cli.env.LOGNAME ?? userName()
  const scrubbing = { redaction: await recorder.redaction(), home: recorder.home, user, root: repo.root }
  return files.map((file) => ({
    ...file,
    text: scrub(file.text, file.name.endsWith('.txt') ? 'text' : 'json', scrubbing),
  }))
}

function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // The user id has no name, as in some containers.
    return undefined
  }
}

function defaultName(now: Date): string {
  return `entire-bundle-${now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')}.tar.gz`
}

function writeNew(path: string, bytes: Uint8Array): void {
  try {
    const fd = openSync(path, 'wx', 0o600)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    if (isErrno(cause, 'EEXIST'))
      throw new EntireError('write-failed', `${clean(path)} already exists.`, {
        hint: 'Name another file with --output.',
        cause,
      })
    throw new EntireError('write-failed', `${clean(path)} cannot be written: ${messageOf(cause)}`, {
      hint: 'Name another file with --output.',
      cause,
    })
  }
}

const blockBytes = 512

export interface ArchivedFile {
  /** At most 100 bytes. */
  name: string
  text: string
}

/** In the ustar format: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html */
export function formatTar(files: ArchivedFile[], modifiedAt: Date): Buffer {
  const entries = files.flatMap(({ name, text }) => {
    const content = Buffer.from(text)
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
    return [header(name, content.length, modifiedAt), content, padding]
  })
  // Two empty blocks end an archive.
  return Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)])
}

function header(name: string, size: number, modifiedAt: Date): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`
  const fields: [offset: number, text: string][] = [
    [0, name],
    [100, octal(0o600, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(Math.floor(modifiedAt.getTime() / 1000), 12)],
    // The checksum counts itself as spaces.
    [148, '        '],
    [156, '0'],
    [257, 'ustar\x0000'],
  ]
  for (const [offset, text] of fields) block.write(text, offset)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

export interface Scrubbing {
  redaction: Redaction
  home: string
  /** The name of the user. */
  user: string | undefined
  /** Root of the work tree. */
  root: string
}

/** Removes secrets, credentials in URLs, and what identifies the user or the machine. */
export function scrub(
  text: string,
  kind: 'json' | 'text',
  { redaction, home, user, root }: Scrubbing,
): string {
  const plain = redaction[kind](text.replace(/\b([a-z][a-z0-9+.-]{0,40}:\/\/)[^\s/"'@]*@/gi, '$1'))
  const places: [place: string, name: string][] = [
    [root, '<repository>'],
    [resolveLinks(home), '~'],
    [home, '~'],
  ]
  const anonymous = places
    .filter(([place]) => place.length > 1)
    .reduce((rest, [place, name]) => rest.replaceAll(place, name), plain)
  // Only whole words. `root` stays: it is an ordinary word.
  if (user === undefined || user.length < 2 || user === 'root') return anonymous
  return anonymous.replace(new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(user)}(?![A-Za-z0-9])`, 'gi'), '~')
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
