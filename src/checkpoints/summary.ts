// Adds a summary to a stored checkpoint and leaves everything else in it unchanged.

import { applyEdits, modify } from 'jsonc-parser'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Identity } from '../git/config.ts'
import { startFastImport, type TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { readTree } from '../git/tree.ts'
import type { CheckpointSummary } from '../model/checkpoint.ts'
import { EntireError } from '../std/errors.ts'
import { asObject, parseJson } from '../std/json.ts'
import { ownRef, remoteMetadataRef } from './copies.ts'
import { checkpointDir, inDir, metadataRef } from './layout.ts'
import { formatSummary } from './record.ts'

const attempts = 5

export interface SummaryUpdate {
  checkpoint: string
  session: string
  summary: CheckpointSummary
  author: Identity
  seconds: number
}

/**
 * Writes one commit on the ref that holds the checkpoint, and retries when another process moved the ref. Returns the
 * ref.
 */
export async function saveSummary(repo: Repo, objects: ObjectReader, update: SummaryUpdate): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeSummary(repo, objects, update)
    } catch (error) {
      if (!(error instanceof EntireError && error.code === 'ref-moved') || attempt === attempts) throw error
    }
  }
}

async function writeSummary(repo: Repo, objects: ObjectReader, update: SummaryUpdate): Promise<string> {
  const target = await findTarget(objects, update.checkpoint)
  const path = target && (await findMetadata(objects, target.tree, update.session))
  const file = path && (await objects.contents(`${target.tree}:${path}`))
  if (!file)
    throw new EntireError(
      'not-found',
      `Checkpoint ${update.checkpoint} cannot be changed: it is on a branch of an earlier version.`,
      { hint: 'Nothing was changed. Only checkpoints of current versions can get a summary.' },
    )
  const writes = startFastImport(repo)
  writes.commit({
    ref: target.ref,
    parent: target.parent,
    message: `Update summary for checkpoint ${update.checkpoint} (session: ${update.session.replace(/\s+/g, ' ')})\n`,
    author: update.author,
    seconds: update.seconds,
    changes: [
      ...target.copied,
      {
        path: inDir(target.dir, path),
        mode: '100644',
        content: Buffer.from(withSummary(file.content.toString('utf8'), update.summary)),
      },
    ],
  })
  await writes.finish()
  return target.ref
}

interface SummaryTarget {
  ref: string
  parent: Oid
  tree: Oid
  dir: string
  /** Copies the checkpoint to the ref first, when only origin's copy of the ref has it. */
  copied: TreeChange[]
}

async function findTarget(objects: ObjectReader, id: string): Promise<SummaryTarget | undefined> {
  const dir = checkpointDir(id)
  const [local, remote, own] = await Promise.all(
    [metadataRef, remoteMetadataRef, ownRef(id)].map((ref) => objects.info(ref)),
  )
  const at = async (tip: Oid | undefined, path: string) =>
    tip === undefined ? undefined : (await objects.info(`${tip}:${path}`))?.oid
  const onBranch = dir === '' ? undefined : await at(local?.oid, dir)
  if (local && onBranch !== undefined)
    return { ref: metadataRef, parent: local.oid, tree: onBranch, dir, copied: [] }
  const onRemote = dir === '' ? undefined : await at(remote?.oid, dir)
  if (remote && onRemote !== undefined) {
    const copied: TreeChange[] = local === undefined ? [] : [{ path: dir, mode: '040000', oid: onRemote }]
    return { ref: metadataRef, parent: (local ?? remote).oid, tree: onRemote, dir, copied }
  }
  const tree = await at(own?.oid, '')
  return own && tree !== undefined
    ? { ref: ownRef(id), parent: own.oid, tree, dir: '', copied: [] }
    : undefined
}

// In the directory of the session, or at the top, where earlier versions kept a single session.
async function findMetadata(objects: ObjectReader, tree: Oid, session: string): Promise<string | undefined> {
  const slots = (await readTree(objects, tree)).filter((entry) => entry.isTree && /^\d+$/.test(entry.name))
  const paths = [...slots.map((slot) => `${slot.name}/metadata.json`), 'metadata.json']
  const files = await Promise.all(paths.map((path) => objects.contents(`${tree}:${path}`)))
  return paths.find(
    (_, index) => asObject(parseJson(files[index]?.content.toString('utf8') ?? ''))?.session_id === session,
  )
}

// Edited as text, so that large numbers and unknown fields stay as they are.
function withSummary(text: string, summary: CheckpointSummary): string {
  const edits = modify(text, ['summary'], formatSummary(summary), {
    formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' },
    // Where other writers put it.
    getInsertionIndex: (keys) =>
      keys.includes('initial_attribution') ? keys.indexOf('initial_attribution') : keys.length,
  })
  return applyEdits(text, edits)
}
