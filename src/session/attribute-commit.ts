// Collects the three states of every file of a commit, and measures who wrote it.
import { attribute, textOf } from '../checkpoints/attribution.ts'
import { shadowRef } from '../checkpoints/layout.ts'
import type { Attribution } from '../model/checkpoint.ts'
import type { Session } from '../model/session.ts'
import { formatTime } from '../std/time.ts'
import type { Condensing } from './condensing.ts'

// Lines are counted in what people write; larger files are generated, and more of them than this is a vendored tree.
const maxBytes = 1024 * 1024
const maxFiles = 500

export async function attributeCommit(
  { recorder, git, commit }: Pick<Condensing, 'recorder' | 'git' | 'commit'>,
  session: Session,
  everyone: Set<string>,
): Promise<Attribution | undefined> {
  const own = new Set(session.filesTouched)
  const files = commit.files.slice(0, maxFiles)
  const shadow = shadowRef(session.baseCommit, session.worktreeId)
  const tip = session.stepCount > 0 ? await git.objects.info(shadow) : undefined
  const text = async (name: string | undefined) => {
    const info = name === undefined ? undefined : await git.objects.info(name)
    return info === undefined || info.type !== 'blob' || info.size > maxBytes ? '' : textOf((await git.objects.contents(info.oid))?.content)
  }
  const touched = files.filter((file) => own.has(file.path))
  const others = files.filter((file) => !own.has(file.path) && !everyone.has(file.path))
  return attribute({
    files: await Promise.all(
      touched.map(async ({ path, after }) => {
        const head = await text(after)
        return {
          path,
          base: await text(`${session.attributionBase}:${path}`),
          step: tip === undefined ? head : await text(`${tip.oid}:${path}`),
          head,
        }
      }),
    ),
    others: await Promise.all(
      others.map(async ({ path, before, after }) => ({ path, parent: await text(before), head: await text(after) })),
    ),
    otherSessions: everyone.difference(own),
    prompts: session.promptAttributions,
    calculatedAt: formatTime(recorder.clock()),
  })
}
