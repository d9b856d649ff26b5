// Stops a push that would publish steps: they hold uncommitted and untracked files as they were on disk.

import { branchName, isShadowRef } from '../checkpoints/layout.ts'
import { isAnyStep } from '../checkpoints/step.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { isNoObject, type PushedRef } from './pushed-refs.ts'

/** Refs of the program that never leave this machine. */
const privateRefs = /^refs\/(?:entire\/(?!checkpoints\/)|entire-)/

/** The lines for the user when the push must not happen; undefined when it may. */
export async function explainStop(
  objects: ObjectReader,
  remote: string,
  pushed: PushedRef[],
): Promise<string[] | undefined> {
  const judged = await Promise.all(
    pushed.map(async (ref) => ({ ref, isStep: await publishesStep(objects, ref) })),
  )
  const steps = judged.filter(({ isStep }) => isStep).map(({ ref }) => ref)
  if (steps.length === 0) return undefined
  const others = judged.filter(({ isStep }) => !isStep).map(({ ref }) => ref)
  return [
    'The push was stopped: it would publish steps, which hold uncommitted and untracked files.',
    ...steps.slice(0, maxListed).map(({ local }) => `  ${branchName(local)}`),
    ...(steps.length > maxListed ? [`  … and ${steps.length - maxListed} more`] : []),
    ...(others.length === 0 ? [] : ['To push the rest:', `  ${pushCommand(remote, others)}`]),
    'To publish the steps as well, push with --no-verify.',
  ]
}

const maxListed = 5

async function publishesStep(objects: ObjectReader, { local, oid, remote }: PushedRef): Promise<boolean> {
  // Deleting a published step must stay possible.
  if (isNoObject(oid)) return false
  if ([local, remote].some((ref) => isShadowRef(ref) || privateRefs.test(ref))) return true
  return isAnyStep((await readCommit(objects, oid).catch(() => undefined)) ?? '')
}

async function readCommit(objects: ObjectReader, oid: string): Promise<string | undefined> {
  // A tag may stand in front of the commit.
  return (await objects.contents(`${oid}^{commit}`))?.content.toString('utf8')
}

function pushCommand(remote: string, refs: PushedRef[]): string {
  const words = refs
    .filter(({ local }) => !branchName(local).startsWith('entire/'))
    .map(({ local, remote: target }) => {
      const source = local === '(delete)' ? '' : branchName(local)
      return local === target ? source : `${source}:${branchName(target)}`
    })
  // A line that nobody can read is of no help: a pattern says the same.
  const all = ["'refs/heads/*'", "'^refs/heads/entire/*'"]
  return ['git push', quote(remote), ...(words.length > 20 ? all : words.map(quote))].join(' ')
}

function quote(word: string): string {
  return /^[\w./:@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
