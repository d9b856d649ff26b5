// What must change for one hook to be installed or gone. The aim: after removal the directory looks as if we had never been there,
// also when a hook manager has moved things about in the meantime.
import { basename, join } from 'node:path'
import { planChain } from './hook-chain.ts'
import { type HookFile, readHookFile, sameContent } from './hook-file.ts'
import type { HookName } from './hook-names.ts'
import { hookScript } from './hook-script.ts'

export type HookStep =
  | { act: 'remove'; file: HookFile }
  | { act: 'move'; file: HookFile; to: string }
  /** Gives a displaced hook its backup name; never over a backup that exists. */
  | { act: 'keep'; file: HookFile; to: string }
  | { act: 'write'; path: string; content: string }

export interface HookPlan {
  steps: HookStep[]
  warnings: string[]
}

export interface HookState {
  name: HookName
  dir: string
  main: HookFile | undefined
  /** Where pre-commit puts a hook that it found, and runs it from. */
  legacy: HookFile | undefined
  /** Where other managers put a hook that they found. */
  aside: (HookFile | undefined)[]
  /** Hooks that we displaced, oldest first. The last one is chained. */
  backups: HookFile[]
}

/** The hook is read before the names beside it: whoever puts ours in its place at this moment has made the backup first. */
export function readHookState(dir: string, name: HookName, listNames: () => string[]): HookState {
  const at = (file: string) => readHookFile(join(dir, file))
  const main = at(name)
  const backup = new RegExp(`^${name}\\.pre-entire(?:\\.(\\d+))?$`)
  const numbered = listNames().flatMap((file) => {
    const match = backup.exec(file)
    return match ? [{ file, number: Number(match[1] ?? 1) }] : []
  })
  // Another name of the same file is no copy of it.
  const copy = (file: string) => [at(file)].find((found) => found?.inode !== main?.inode)
  return {
    name,
    dir,
    main,
    legacy: copy(`${name}.legacy`),
    aside: [copy(`${name}.old`), copy(join('old-hooks', name))],
    backups: numbered.sort((one, other) => one.number - other.number).flatMap(({ file }) => at(file) ?? []),
  }
}

export function planInstall(state: HookState, command: string): HookPlan {
  const { name, dir, main } = state
  const plan: HookPlan = { steps: [], warnings: [] }
  const replaced = main !== undefined && !main.ours
  const hosted = isHosted(state)
  const slot = hosted ? state.legacy : main

  // A generated hook that something took the place of can be made again; chaining it would run what its user has replaced.
  const isBack = (backup: HookFile) => replaced && sameContent(backup, main)
  const kept = dropBackups(state, plan, (backup) => replaced && !hosted && backup.manager !== undefined && !isBack(backup))
  for (const stray of [hosted ? undefined : state.legacy, ...state.aside]) {
    if (!stray?.ours) continue
    const displaced = replaced && !hosted && !kept.some(isBack) ? kept.pop() : undefined
    plan.steps.push(displaced ? { act: 'move', file: displaced, to: stray.path } : { act: 'remove', file: stray })
  }

  const last = kept.at(-1)
  let chained = last && planChain(basename(last.path), last)
  if (slot && !slot.ours && !(last && sameContent(last, slot) && last.executable === slot.executable)) {
    const file = nextBackup(name, last)
    if (last)
      plan.warnings.push(
        `replacing ${name} (backup ${chained?.file} already exists from a previous install); it is kept as ${file} and still runs`,
      )
    plan.steps.push({ act: 'keep', file: slot, to: join(dir, file) })
    chained = planChain(file, slot)
  }
  const content = hookScript(name, { command, chained })
  if (!slot?.ours || !slot.executable || slot.head !== Buffer.from(content).toString('latin1'))
    plan.steps.push({ act: 'write', path: join(dir, hosted ? `${name}.legacy` : name), content })
  return plan
}

export function planUninstall(state: HookState): HookPlan {
  const { name, dir, main } = state
  const plan: HookPlan = { steps: [], warnings: [] }
  const replaced = main !== undefined && !main.ours
  const kept = dropBackups(state, plan, (backup) => replaced && (sameMaker(backup, main) || sameContent(backup, main)))
  const ours = [main, state.legacy, ...state.aside].filter((file) => file !== undefined).filter((file) => file.ours)
  // What we displaced goes where we are now: a manager that moved us aside would have moved it there.
  const home = replaced ? ours[0]?.path : join(dir, name)
  const restored = home === undefined ? undefined : kept.pop()
  if (restored && home) plan.steps.push({ act: 'move', file: restored, to: home })
  for (const file of ours) if (!restored || file.path !== home) plan.steps.push({ act: 'remove', file })
  for (const { path } of kept) plan.warnings.push(`${name} was modified since install; backup ${basename(path)} left in place`)
  return plan
}

/**
 * Under pre-commit we live where it puts the hook that it found: there nothing gets lost however often `pre-commit install` runs.
 * It passes no input on to a post-rewrite hook, so that one takes the ordinary place.
 */
export function isHosted({ name, main }: HookState): boolean {
  return main?.manager === 'pre-commit' && main.executable && name !== 'post-rewrite'
}

export function isOurs(state: HookState): boolean {
  return [state.main, state.legacy, ...state.aside].some((file) => file?.ours)
}

function dropBackups(state: HookState, plan: HookPlan, isObsolete: (backup: HookFile) => boolean): HookFile[] {
  return state.backups.filter((backup) => {
    if (!backup.ours && !isObsolete(backup)) return true
    plan.steps.push({ act: 'remove', file: backup })
    return false
  })
}

function sameMaker(one: HookFile, other: HookFile): boolean {
  return one.manager !== undefined && one.manager === other.manager
}

function nextBackup(name: HookName, last: HookFile | undefined): string {
  if (!last) return `${name}.pre-entire`
  return `${name}.pre-entire.${Number(/\.(\d+)$/.exec(last.path)?.[1] ?? 1) + 1}`
}
