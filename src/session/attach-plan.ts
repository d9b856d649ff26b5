// What attaching a session to HEAD comes to: which checkpoint it goes to, and whether the commit may be amended to name it.

import { notesRef } from '../checkpoints/layout.ts'
import { readNotes } from '../checkpoints/notes.ts'
import { fetchCommand } from '../checkpoints/places.ts'
import { readSlots } from '../checkpoints/slots.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { type CommitInfo, readCommit, readStaged } from '../git/commit.ts'
import { git } from '../git/exec.ts'
import { isSequence } from '../git/sequence.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import type { Session } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { exists, fileSize } from '../std/file.ts'
import type { FoundTranscript } from './attach-transcript.ts'
import { newCheckpointId } from './checkpoint-id.ts'
import { openGit, type Recorder } from './work.ts'

export interface AttachPlan extends FoundTranscript {
  commit: CommitInfo
  checkpoint: string
  /** `add`: HEAD has this checkpoint. `done`: the session has it, and has said nothing since. */
  kind: 'new' | 'add' | 'done'
  /** How HEAD names the checkpoint, if it does. */
  link: 'trailer' | 'note' | undefined
  /** Why the commit must not be amended. */
  noAmend?: string
}

export async function planAttach(recorder: Recorder, found: FoundTranscript, known: Session | undefined): Promise<AttachPlan> {
  const { repo } = recorder
  const commit = await readCommit(repo, 'HEAD')
  if (commit === undefined)
    throw new EntireError('no-commits', 'This repository has no commits yet.', {
      hint: 'Commit the work of the session first, then attach it.',
    })
  await using git = openGit(repo)
  const trailers = readCheckpointIds(commit.message)
  const notes = (await notesOf(git.objects, commit.oid)) ?? []
  const linkOf = (id: string) => (trailers.includes(id) ? 'trailer' : notes.includes(id) ? 'note' : undefined)
  const plan = { ...found, commit, ...(await whyNotAmend(recorder, commit)) }
  const had = known === undefined || hasMore(found, known) ? undefined : known.lastCheckpoint
  if (had !== undefined) return { ...plan, kind: 'done', checkpoint: had, link: linkOf(had) }
  const last = trailers.at(-1) ?? notes.at(-1)
  if (last === undefined) return { ...plan, kind: 'new', checkpoint: newCheckpointId(recorder), link: undefined }
  if ((await readSlots(git.objects, last)).sessions.length === 0) throw notHere(last, commit)
  return { ...plan, kind: 'add', checkpoint: last, link: linkOf(last) }
}

async function notesOf(objects: ObjectReader, commit: string): Promise<string[] | undefined> {
  return (await objects.info(notesRef)) === undefined ? undefined : (await readNotes(objects)).get(commit)
}

// The end of what was read lies at a line boundary; a newline may have come after it.
function hasMore({ path }: FoundTranscript, { cursor }: Session): boolean {
  return cursor === undefined || cursor.path !== path || (fileSize(path) ?? 0) > cursor.bytes + 1
}

async function whyNotAmend({ repo }: Recorder, { oid }: CommitInfo): Promise<{ noAmend?: string }> {
  if (isSequence(repo) || exists(`${repo.gitDir}/MERGE_HEAD`)) return { noAmend: 'a merge, rebase or cherry-pick is under way' }
  const [staged, unpushed] = await Promise.all([readStaged(repo), git(repo, ['rev-list', '--max-count=1', oid, '--not', '--remotes'])])
  if (staged.length > 0) return { noAmend: 'changes are staged for the next commit' }
  return unpushed.stdout.length === 0 ? { noAmend: 'it has been pushed' } : {}
}

function notHere(checkpoint: string, { oid }: CommitInfo): EntireError {
  return new EntireError('not-found', `${oid.slice(0, 7)} is linked to checkpoint ${checkpoint}, which is not in this clone.`, {
    hint: `A new one under the same id would hide it. Fetch it first: \`${fetchCommand}\`.`,
  })
}
