// Collects the three states of every file of a commit, and measures who wrote it.
import { attribute, textOf } from '../checkpoints/attribution.ts'
import { shadowRef } from '../checkpoints/layout.ts'
import type { ChangedFile, CommitInfo } from '../git/commit.ts'
import type { Attribution } from '../model/checkpoint.ts'
import type { Session } from '../model/session.ts'
import { formatTime } from '../std/time.ts'
import type { Condensing } from './condensing.ts'

// Lines are counted in what people write; larger files are generated, and more of them than this is a vendored tree.
const maxBytes = 1024 * 1024
const maxFiles = 500

/** A commit as all its sessions see it: put together once, however many they are. */
export interface Shares {
  files: ReadonlyMap<string, ChangedFile>
  /** What any session touched. */
  touched: ReadonlySet<string>
  /** What no session touched. */
  others: ChangedFile[]
}

export function shareOut(commit: Pick<CommitInfo, 'files'>, touched: Set<string>): Shares {
  const files = commit.files.slice(0, maxFiles)
  return { files: new Map(files.map((file) => [file.path, file])), touched, others: files.filter(({ path }) => !touched.has(path)) }
}

export async function attributeCommit(
  { recorder, git }: Pick<Condensing, 'recorder' | 'git'>,
  session: Session,
  { files, touched, others }: Shares,
): Promise<Attribution | undefined> {
  const shadow = shadowRef(session.baseCommit, session.worktreeId)
  const tip = session.stepCount > 0 ? await git.objects.info(shadow) : undefined
  const texts = new Map<string, Promise<string>>()
  // As committed and in the step it is nearly always the same.
  const read = (oid: string) => texts.getOrInsertComputed(oid, async () => textOf((await git.objects.contents(oid))?.content))
  const text = async (name: string | undefined) => {
    const info = name === undefined ? undefined : await git.objects.info(name)
    return info === undefined || info.type !== 'blob' || info.size > maxBytes ? '' : await read(info.oid)
  }
  const own = session.filesTouched.flatMap((path) => files.get(path) ?? [])
  return attribute({
    files: await Promise.all(
      own.map(async ({ path, after }) => {
        const names = [`${session.attributionBase}:${path}`, after, ...(tip === undefined ? [] : [`${tip.oid}:${path}`])]
        const [base = '', head = '', step = head] = await Promise.all(names.map(text))
        return { path, base, step, head }
      }),
    ),
    others: await Promise.all(
      others.map(async ({ path, before, after }) => ({ path, parent: await text(before), head: await text(after) })),
    ),
    otherSessions: touched,
    prompts: session.promptAttributions,
    calculatedAt: formatTime(recorder.clock()),
  })
}
