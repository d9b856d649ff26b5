// Collects the bundle, takes out what is nobody's business, and writes it where nothing was.
import { closeSync, openSync, writeSync } from 'node:fs'
import { userInfo } from 'node:os'
import { relative, resolve } from 'node:path'
import { EntireError, isErrno, messageOf } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { type Cli, requireRepo } from '../context.ts'
import { tableLines } from '../render/table.ts'
import { clean } from '../render/text.ts'
import { type BundleFile, collectBundle } from './bundle-contents.ts'
import { type Examination, examine } from './examination.ts'
import { scrub } from './scrub.ts'
import { formatTar } from './tar.ts'

export interface BundleFlags {
  output?: string
  json?: boolean
}

export async function writeBundle(cli: Cli, flags: BundleFlags): Promise<void> {
  await using exam = examine(cli, requireRepo(cli, 'doctor bundle'))
  const path = resolve(cli.cwd, flags.output ?? defaultName(cli.clock()))
  const files = await scrubAll(exam, await collectBundle(exam))
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
  cli.out('\nNothing was sent. Prompts, transcripts and contents of files are not in it, secrets are replaced.')
  cli.out(`Look through it before you share it: tar -xzOf ${clean(relative(cli.cwd, path))} | less`)
}

async function scrubAll({ repo, recorder, cli }: Examination, files: BundleFile[]): Promise<BundleFile[]> {
  const user = cli.env.USER ?? cli.env.LOGNAME ?? userName()
  const scrubbing = { redaction: await recorder.redaction(), home: recorder.home, user, root: repo.root }
  return files.map((file) => ({ ...file, text: scrub(file.text, file.name.endsWith('.txt') ? 'text' : 'json', scrubbing) }))
}

function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // A user id without a name, as in some containers.
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
      throw new EntireError('write-failed', `${clean(path)} exists already.`, { hint: 'Name another file with --output.', cause })
    throw new EntireError('write-failed', `${clean(path)} cannot be written: ${messageOf(cause)}`, {
      hint: 'Name another file with --output.',
      cause,
    })
  }
}
