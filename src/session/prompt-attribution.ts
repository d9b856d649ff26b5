// What the user changed since the last step, measured when a turn starts and before the agent works.
import { measurePrompt, textOf } from '../checkpoints/attribution.ts'
import { isInfrastructure, shadowRef } from '../checkpoints/layout.ts'
import { readWorkFile } from '../checkpoints/snapshot.ts'
import { blobOid } from '../git/oid.ts'
import type { Status } from '../git/status.ts'
import type { PromptAttribution } from '../model/session.ts'
import type { Work } from './work.ts'

// Lines are counted in what people write; larger files are generated.
const maxBytes = 1024 * 1024

export async function measureUserEdits({ recorder, session, objects }: Work, status: Status): Promise<PromptAttribution> {
  const paths = [...status.modified, ...status.untracked, ...status.deleted].filter((path) => !isInfrastructure(path))
  const shadow = shadowRef(session.baseCommit, session.worktreeId)
  const hasShadow = session.stepCount > 0 && paths.length > 0 && (await objects.info(shadow)) !== undefined
  const reference = hasShadow ? shadow : session.baseCommit
  const infos = await Promise.all(paths.map((path) => objects.info(`${reference}:${path}`)))
  const differing = paths.flatMap((path, index) => {
    const content = readWorkFile(recorder.repo, path)
    const info = infos[index]
    const isSame = content !== undefined && info !== undefined && blobOid(content, info.oid) === info.oid
    const isLarge = (content?.length ?? 0) > maxBytes || (info?.size ?? 0) > maxBytes
    return isSame || isLarge ? [] : [{ path, content, isStored: info !== undefined }]
  })
  const files = await Promise.all(
    differing.map(async ({ path, content, isStored }) => ({
      path,
      worktree: textOf(content),
      reference: isStored ? textOf((await objects.contents(`${reference}:${path}`))?.content) : '',
      base: hasShadow ? textOf((await objects.contents(`${session.baseCommit}:${path}`))?.content) : '',
    })),
  )
  return measurePrompt(session.stepCount + 1, files, hasShadow)
}
