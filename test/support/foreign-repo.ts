// Builds repositories with plain git as other programs leave them, with forms that Entire never writes.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from './entire.ts'
import { binary } from './recorded-repo.ts'
import { type TempRepo, tempRepo } from './repo.ts'
import type { RepoKind } from './repo-kinds.ts'

/** Values that are not text are written as JSON, in the form of the reference program. */
export type Files = Record<string, unknown>

export interface ForeignRepo extends TempRepo {
  /** Puts a commit that holds these files on top of a ref, or a first one. */
  put(ref: string, files: Files, options?: { message?: string; seconds?: number }): Promise<string>
  /** A commit of the user's that is linked to checkpoints. */
  link(...checkpoints: string[]): Promise<string>
  /** Removes an object that a put has written, as a broken disk would. */
  lose(name: string): Promise<void>
  /** Runs the compiled program; never throws for an exit code. */
  entire(args: string[], options?: { env?: Record<string, string>; cwd?: string }): Promise<Answer>
}

export async function foreignRepo(kind: RepoKind = 'plain'): Promise<ForeignRepo> {
  return asForeign(await tempRepo({ kind }))
}

export function asForeign(repo: TempRepo): ForeignRepo {
  return {
    ...repo,
    async put(ref, files, { message = 'Checkpoint', seconds = 1_770_000_000 } = {}) {
      const tip = await repo.run(['git', 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`])
      const from = tip.code === 0 ? `from ${tip.stdout.toString().trim()}\n` : ''
      const stream = [
        `commit ${ref}\ncommitter Foreign <foreign@example.com> ${seconds} +0000\n${data(message)}\n${from}`,
        ...Object.entries(files).map(
          ([path, content]) => `M 100644 inline ${quote(path)}\n${data(asText(content))}\n`,
        ),
        'done\n',
      ]
      const ran = await repo.run(['git', 'fast-import', '--quiet', '--done', '--force'], {
        stdin: stream.join(''),
      })
      if (ran.code !== 0) throw new Error(`fast-import gave ${ran.code}: ${ran.stderr}`)
      return await repo.git('rev-parse', ref)
    },
    async link(...checkpoints) {
      repo.write('a.txt', `${checkpoints.join()}\n`)
      return await repo.commit(`add a\n\n${checkpoints.map((id) => `Entire-Checkpoint: ${id}`).join('\n')}`)
    },
    async lose(name) {
      const oid = await repo.git('rev-parse', name)
      rmSync(join(repo.repo.commonDir, 'objects', oid.slice(0, 2), oid.slice(2)))
    },
    async entire(args, options = {}) {
      const ran = await repo.run([binary, ...args], { ...options, env: { ...repo.env, ...options.env } })
      return { code: ran.code, out: ran.stdout.toString('utf8'), err: ran.stderr }
    },
  }
}

function asText(content: unknown): string {
  if (typeof content === 'string') return content
  // Go's encoder does not leave these as they are.
  return `${JSON.stringify(content, null, 2).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)}\n`
}

// The size is in bytes. https://git-scm.com/docs/git-fast-import#_data
function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`
}

function quote(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`
}
