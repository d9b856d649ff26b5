// Stops a push that would publish steps, which hold uncommitted and untracked files as they were on disk, or that
// would take checkpoints to a remote that is not chosen for them.

import { branchName, isShadowRef, metadataRef } from '../checkpoints/layout.ts'
import { isAnyStep } from '../checkpoints/step.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { git } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { shellWord } from '../std/shell.ts'
import { isNoObject, type PushedRef } from './pushed-refs.ts'

/** Refs of the program that never leave this machine. */
const privateRefs = /^refs\/(?:entire\/(?!checkpoints\/)|entire-)/

/** Refs that hold checkpoints, or copies of what a remote has of the program. */
const checkpointRefs = /^refs\/(?:(?:heads|remotes\/[^/]+)\/entire\/|entire\/checkpoints\/|notes\/entire-)/

/**
 * The lines for the user when the push must not happen; undefined when it may. Only a push with checkpoints in it
 * asks why they must not go there.
 */
export async function explainStop(
  place: PushPlace,
  pushed: PushedRef[],
  whyNoCheckpoints: () => Promise<string | undefined>,
): Promise<string[] | undefined> {
  const judged = await Promise.all(
    pushed.map(async (ref) => ({ ref, isStep: await publishesStep(place, ref) })),
  )
  const steps = judged.filter(({ isStep }) => isStep).map(({ ref }) => ref)
  const others = judged.filter(({ isStep }) => !isStep).map(({ ref }) => ref)
  const rest = restLines(place.remote, others)
  if (steps.length > 0)
    return [
      'The push was stopped: it would publish steps, which hold uncommitted and untracked files.',
      ...listed(steps),
      ...rest,
      'To publish the steps as well, push with --no-verify.',
    ]
  const checkpoints = others.filter((ref) => !isNoObject(ref.oid) && isCheckpoint(ref))
  const why = checkpoints.length === 0 ? undefined : await whyNoCheckpoints()
  if (why === undefined) return undefined
  return [
    `The push was stopped: it would publish checkpoints, but ${why}.`,
    ...listed(checkpoints),
    ...rest,
    'To publish them there all the same, push them by their name.',
  ]
}

function isCheckpoint({ local, remote }: PushedRef): boolean {
  return checkpointRefs.test(local) || checkpointRefs.test(remote)
}

const maxListed = 5

function listed(refs: PushedRef[]): string[] {
  return [
    ...refs.slice(0, maxListed).map(({ local }) => `  ${branchName(local)}`),
    ...(refs.length > maxListed ? [`  … and ${refs.length - maxListed} more`] : []),
  ]
}

export interface PushPlace {
  repo: Repo
  objects: ObjectReader
  remote: string
}

async function publishesStep(
  place: PushPlace,
  { local, oid, remote, remoteOid }: PushedRef,
): Promise<boolean> {
  // Deleting a published step must stay possible.
  if (isNoObject(oid)) return false
  if ([local, remote].some((ref) => isShadowRef(ref) || privateRefs.test(ref))) return true
  // Nothing is ever built on the steps by the checkpoints, which are pushed most often.
  if (local === metadataRef && remote === metadataRef) return false
  if (await isShortAndClean(place.objects, oid, remoteOid)) return false
  const type = (await place.objects.info(`${oid}^{}`))?.type
  if (type === 'tree' || type === 'blob') return await isOfStep(place.repo, oid)
  return await hasNewStep(place, oid, remoteOid)
}

// An ordinary push has few commits: then no process is needed to look at them.
const maxRead = 100

/** True when the history back to what the remote has is short, and has no step in it. */
async function isShortAndClean(objects: ObjectReader, oid: Oid, remoteOid: Oid): Promise<boolean> {
  const seen = new Set<Oid>([remoteOid])
  for (let next = [oid]; next.length > 0; ) {
    if (seen.size + next.length > maxRead) return false
    for (const commit of next) seen.add(commit)
    // A tag may stand in front of the commit.
    const texts = await Promise.all(next.map((name) => readCommit(objects, `${name}^{commit}`)))
    if (texts.some((text) => text === undefined || isAnyStep(text))) return false
    next = [...new Set(texts.flatMap((text) => parentsOf(text ?? '')))].filter((parent) => !seen.has(parent))
  }
  return true
}

function parentsOf(text: string): Oid[] {
  const header = text.slice(0, text.indexOf('\n\n'))
  return [...header.matchAll(/^parent (\w+)$/gm)].map(([, parent]) => parent as Oid)
}

async function readCommit(objects: ObjectReader, name: string): Promise<string | undefined> {
  return (await objects.contents(name).catch(() => undefined))?.content.toString('utf8')
}

/**
 * Looks for steps among the commits that the remote does not have as far as is known here. Git walks the same
 * commits for the push itself.
 */
async function hasNewStep({ repo, objects, remote }: PushPlace, oid: Oid, remoteOid: Oid): Promise<boolean> {
  const known =
    isNoObject(remoteOid) || (await objects.info(remoteOid)) === undefined ? [] : [`^${remoteOid}`]
  const { stdout } = await git(
    repo,
    [
      'rev-list',
      '--extended-regexp',
      '--grep=^Entire-Metadata(-Task)?:',
      `${oid}^{commit}`,
      ...known,
      '--not',
      `--remotes=${remote.replace(/[*?[\\]/g, '\\$&')}`,
    ],
    // The object is missing, or it is a tag of something else than a commit.
    { accept: [128] },
  )
  for (const commit of stdout.toString('latin1').split('\n'))
    if (commit !== '' && isAnyStep((await readCommit(objects, commit)) ?? '')) return true
  return false
}

/** Whether steps have a tree or file, or something below it, that no branch has. Such pushes are rare. */
async function isOfStep(repo: Repo, oid: Oid): Promise<boolean> {
  const tips = (await listRefs(repo, 'refs/heads/entire/', 'refs/entire/'))
    .filter(({ ref }) => isShadowRef(ref) || privateRefs.test(ref))
    .map((tip) => tip.oid)
  if (tips.length === 0) return false
  const branches = ['--exclude=entire/*', '--branches', '--exclude=*/entire/*', '--remotes', 'HEAD']
  const list = async (args: string[], revisions: Oid[]) => {
    const stdin = revisions.map((name) => `${name}\n`).join('')
    const { stdout } = await git(repo, ['rev-list', '--objects', '--ignore-missing', '--stdin', ...args], {
      stdin,
    })
    return new Set([...stdout.toString('latin1').matchAll(/^\w+/gm)].map(([name]) => name))
  }
  const pushed = await list([], [oid])
  const ofSteps = (await list(['--not', ...branches], tips)).intersection(pushed)
  if (ofSteps.size === 0) return false
  // Git only looks at the newest commits that are left out: an earlier one may have it.
  return !ofSteps.isSubsetOf(await list(branches, []))
}

/** What is the program's own goes along, or nowhere: it is not the user's to push. */
function restLines(remote: string, refs: PushedRef[]): string[] {
  const users = refs.filter((ref) => !isCheckpoint(ref))
  return users.length === 0 ? [] : ['To push the rest:', `  ${pushCommand(remote, users)}`]
}

function pushCommand(remote: string, refs: PushedRef[]): string {
  const words = refs.map(({ local, remote: target }) => {
    const source = local === '(delete)' ? '' : branchName(local)
    return local === target ? source : `${source}:${branchName(target)}`
  })
  // A line that nobody can read is of no help: a pattern says the same.
  const all = ["'refs/heads/*'", "'^refs/heads/entire/*'"]
  return ['git push', shellWord(remote), ...(words.length > 20 ? all : words.map(shellWord))].join(' ')
}
