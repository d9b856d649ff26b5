// Safety steps: what a rewind or an undo is about to replace, kept as a commit before anything changes.
import { undoRef } from '../checkpoints/layout.ts'
import { readSnapshot } from '../checkpoints/snapshot.ts'
import { readCommit } from '../git/commit.ts'
import type { Oid } from '../git/oid.ts'
import type { Session } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { asObject, asString, asStrings, parseJson } from '../std/json.ts'
import type { GitSide, Recorder } from './work.ts'

export interface SafetyStep {
  oid: Oid
  kind: 'rewind' | 'undo'
  /** Putting these back and taking those away leads to the kept state. */
  restore: string[]
  remove: string[]
  /** The safety step an undo after this one leads to. */
  next: Oid | undefined
  /** What sessions had touched then, by session. */
  touched: Record<string, string[]>
}

export async function readSafety(recorder: Recorder, rev: string): Promise<SafetyStep | undefined> {
  const commit = await readCommit(recorder.repo, rev)
  const record = asObject(parseJson(commit?.message.split('\n\n').slice(1).join('\n\n') ?? ''))
  if (commit === undefined || record === undefined) return undefined
  return {
    oid: commit.oid,
    kind: record.kind === 'undo' ? 'undo' : 'rewind',
    restore: asStrings(record.restore),
    remove: asStrings(record.remove),
    next: asString(record.next),
    touched: Object.fromEntries(Object.entries(asObject(record.touched) ?? {}).map(([id, files]) => [id, asStrings(files)])),
  }
}

/** The state the next undo leads to: what the last rewind replaced, or what the last undo uncovered. */
export async function findUndoTarget(recorder: Recorder): Promise<SafetyStep | undefined> {
  const last = await readSafety(recorder, undoRef(recorder.repo.worktreeId))
  if (last?.kind !== 'undo') return last
  return last.next === undefined ? undefined : readSafety(recorder, last.next)
}

export interface SafetyOptions {
  kind: SafetyStep['kind']
  paths: string[]
  next: Oid | undefined
  /** Kept reachable, because the rewind moves its branch away from it. */
  alsoKeep: Oid | undefined
  sessions: Session[]
}

export async function saveSafety({ recorder, git }: { recorder: Recorder; git: GitSide }, options: SafetyOptions): Promise<SafetyStep> {
  const { repo } = recorder
  const ref = undoRef(repo.worktreeId)
  const [parent, tree, config] = await Promise.all([git.objects.info(ref), git.objects.info('HEAD^{tree}'), git.config()])
  const snapshot = await readSnapshot(repo, options.paths, config)
  if (snapshot.skipped.length > 0 || tree === undefined) {
    throw new EntireError('write-failed', `${snapshot.skipped[0] ?? 'The work tree'} cannot be kept safe, so nothing was changed.`, {
      hint: 'Move it out of the way and try again.',
    })
  }
  const restore = snapshot.changes.filter((change) => !('deleted' in change)).map((change) => change.path)
  const remove = snapshot.changes.filter((change) => 'deleted' in change).map((change) => change.path)
  const touched = Object.fromEntries(options.sessions.map((session) => [session.id, session.filesTouched]))
  const record = { kind: options.kind, restore, remove, next: options.next, touched }
  git.writes().commit({
    ref,
    parent: parent?.oid,
    ...(options.alsoKeep === undefined ? {} : { mergeParents: [options.alsoKeep] }),
    message: `Work tree before ${options.kind}\n\n${JSON.stringify(record)}\n`,
    author: config.author,
    seconds: Math.floor(recorder.clock().getTime() / 1000),
    changes: [{ path: '', mode: '040000', oid: tree.oid }, ...snapshot.changes],
  })
  await git.commit()
  return { ...record, oid: (await git.objects.info(ref))?.oid ?? '', next: options.next }
}
