// Checkpoints travel with the user's push. A remote that has others is merged with, never overwritten; one that cannot be reached never fails the push.
import { metadataRef, notesRef } from '../checkpoints/layout.ts'
import { pushRefs, type Sync, syncRef } from '../checkpoints/sync.ts'
import { messageOf } from '../std/errors.ts'
import { dequeue, readQueue } from './push-queue.ts'
import { findPushTarget } from './push-target.ts'
import { openGit, type Recorder } from './work.ts'

const chunkSize = 200

/** `pushing`: what git is about to push, as it tells the hook; what the user pushes anyway must not be pushed twice. */
export async function pushCheckpoints(recorder: Recorder, remote: string, pushing: string): Promise<void> {
  const { repo, settings, say, clock } = recorder
  if (!settings.pushSessions || remote === '') return
  const target = await findPushTarget(repo, remote, settings.checkpointRemote)
  if (typeof target === 'string') return say(`[entire] Checkpoints were not pushed: ${target}.`)
  await using git = openGit(repo)
  const sync = { ...target, repo, objects: git.objects, say, author: (await git.config()).author, clock }
  const theirs = new Set(target.remote === remote ? pushing.split('\n').map((line) => line.split(' ')[2]) : [])
  for (const ref of [metadataRef, notesRef].filter((name) => !theirs.has(name)))
    await guarded(recorder, target.label, ref, () => syncRef({ ...sync, ref }))
  await guarded(recorder, target.label, 'refs/entire/checkpoints', () => pushQueue(recorder, sync))
}

async function guarded({ say, log }: Recorder, remote: string, what: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    say(`[entire] Warning: couldn't sync sessions: ${messageOf(error)}`)
    log.write('warn', messageOf(error), { remote, what })
  }
}

async function pushQueue({ repo }: Recorder, sync: Omit<Sync, 'ref'>): Promise<void> {
  const queued = readQueue(repo)
  const infos = await Promise.all(queued.map((ref) => sync.objects.info(ref)))
  const gone = queued.filter((_, index) => infos[index] === undefined)
  const refs = queued.filter((_, index) => infos[index] !== undefined)
  if (gone.length > 0) await dequeue(repo, gone)
  for (let at = 0; at < refs.length; at += chunkSize) {
    const chunk = refs.slice(at, at + chunkSize)
    if (at === 0) sync.say(`[entire] Pushing ${refs.length} checkpoint(s) to ${sync.label}...`)
    if ((await pushRefs(sync, chunk)) === undefined) await dequeue(repo, chunk)
    else if (!(await pushOneByOne(repo, sync, chunk))) return
  }
}

/** Each alone, merging where the remote has something else. False when not even one arrives: then nothing would. */
async function pushOneByOne(repo: Recorder['repo'], sync: Omit<Sync, 'ref'>, refs: string[]): Promise<boolean> {
  for (const ref of refs) {
    if (!(await syncRef({ ...sync, ref }))) return false
    await dequeue(repo, [ref])
  }
  return true
}
