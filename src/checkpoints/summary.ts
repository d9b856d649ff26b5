// Adds a summary to a checkpoint that is stored already. Everything else in it stays as it was written, by whomever.

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

/** One commit, on the ref that holds the checkpoint. Another writer at the same time costs another attempt, never its work. */
export async function saveSummary(repo: Repo, objects: ObjectReader, update: SummaryUpdate): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeSummary(repo, objects, update)
    } catch (error) {
      if (!(error instanceof EntireError && error.code === 'ref-moved') || attempt === attempts) throw error
    }
  }
}

async function writeSummary(repo: Repo, objects: ObjectReader, update: SummaryUpdate): Promise<void> {
  const home = await findHome(objects, update.checkpoint)
  const path = home && (await findMetadata(objects, home.tree, update.session))
  const file = path && (await objects.contents(`${home.tree}:${path}`))
  if (!file)
    throw new EntireError(
      'not-found',
      `checkpoint ${update.checkpoint} cannot be changed: where it is stored, nothing is written any more.`,
      {
        hint: 'It is on a branch that an earlier version has used. Nothing was changed.',
      },
    )
  const writes = startFastImport(repo)
  writes.commit({
    ref: home.ref,
    parent: home.parent,
    message: `Update summary for checkpoint ${update.checkpoint} (session: ${update.session.replace(/\s+/g, ' ')})\n`,
    author: update.author,
    seconds: update.seconds,
    changes: [
      ...home.brings,
      {
        path: inDir(home.dir, path),
        mode: '100644',
        content: Buffer.from(withSummary(file.content.toString('utf8'), update.summary)),
      },
    ],
  })
  await writes.finish()
}

interface Home {
  ref: string
  parent: Oid
  tree: Oid
  dir: string
  /** What the ref must take in first, because only origin's copy of it has the checkpoint. */
  brings: TreeChange[]
}

async function findHome(objects: ObjectReader, id: string): Promise<Home | undefined> {
  const dir = checkpointDir(id)
  const [local, remote, own] = await Promise.all(
    [metadataRef, remoteMetadataRef, ownRef(id)].map((ref) => objects.info(ref)),
  )
  const at = async (tip: Oid | undefined, path: string) =>
    tip === undefined ? undefined : (await objects.info(`${tip}:${path}`))?.oid
  const onBranch = dir === '' ? undefined : await at(local?.oid, dir)
  if (local && onBranch !== undefined)
    return { ref: metadataRef, parent: local.oid, tree: onBranch, dir, brings: [] }
  const onRemote = dir === '' ? undefined : await at(remote?.oid, dir)
  if (remote && onRemote !== undefined) {
    const brings: TreeChange[] = local === undefined ? [] : [{ path: dir, mode: '040000', oid: onRemote }]
    return { ref: metadataRef, parent: (local ?? remote).oid, tree: onRemote, dir, brings }
  }
  const tree = await at(own?.oid, '')
  return own && tree !== undefined
    ? { ref: ownRef(id), parent: own.oid, tree, dir: '', brings: [] }
    : undefined
}

// The directory of the session, or the top where a single session lay before there were several.
async function findMetadata(objects: ObjectReader, tree: Oid, session: string): Promise<string | undefined> {
  const slots = (await readTree(objects, tree)).filter((entry) => entry.isTree && /^\d+$/.test(entry.name))
  const paths = [...slots.map((slot) => `${slot.name}/metadata.json`), 'metadata.json']
  const files = await Promise.all(paths.map((path) => objects.contents(`${tree}:${path}`)))
  return paths.find(
    (_, index) => asObject(parseJson(files[index]?.content.toString('utf8') ?? ''))?.session_id === session,
  )
}

// Edited as text: numbers too large for us and fields of other versions come through as they are.
function withSummary(text: string, summary: CheckpointSummary): string {
  const edits = modify(text, ['summary'], formatSummary(summary), {
    formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' },
    // Where other writers have it.
    getInsertionIndex: (keys) =>
      keys.includes('initial_attribution') ? keys.indexOf('initial_attribution') : keys.length,
  })
  return applyEdits(text, edits)
}
