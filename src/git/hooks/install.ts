// Installs Entire's git hooks beside existing ones, and removes them again without a trace.

import { linkSync, lstatSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { abandonedCopyOf } from '../../std/abandoned.ts'
import { EntireError, isErrno, messageOf } from '../../std/errors.ts'
import { exists, removeFile, writeAtomic } from '../../std/file.ts'
import { type HookFile, isUnchanged, readHookFile, sameContent } from './files.ts'
import { type HookName, hookNames } from './names.ts'
import { hookScript, planChain, readProgram } from './script.ts'

export interface InstalledHooks {
  /** Hooks whose file was written; empty when all were up to date. */
  written: HookName[]
  /** Names of the files that existing hooks were moved to. */
  backups: string[]
  warnings: string[]
}

/** What hooks call: a name or a path, and the program to fall back to where the name is not on the PATH. */
export interface HookProgram {
  command: string
  program?: string
}

export function installHooks(hooksDir: string, options: HookProgram): InstalledHooks {
  const done: InstalledHooks = { written: [], backups: [], warnings: [] }
  try {
    removeAbandoned(hooksDir)
    for (const name of hookNames) {
      const { steps, warnings } = install(hooksDir, name, options)
      if (steps.some((step) => step.act === 'write')) done.written.push(name)
      done.backups.push(...steps.flatMap((step) => (step.act === 'keep' ? [basename(step.to)] : [])))
      done.warnings.push(...warnings)
    }
  } catch (cause) {
    throw new EntireError(
      'write-failed',
      `The git hooks could not be installed in ${hooksDir}: ${messageOf(cause)}`,
      {
        hint: 'Check that it is a directory you can write to; `git config core.hooksPath` may name another one.',
        cause,
      },
    )
  }
  return done
}

// Two sessions may install at the same time. A backup is never overwritten, so the slower one plans again.
function install(hooksDir: string, name: HookName, options: HookProgram): HookPlan {
  for (let attempt = 1; ; attempt += 1) {
    const plan = planHookInstall(
      readHookState(hooksDir, name, () => listNames(hooksDir)),
      options,
    )
    try {
      plan.steps.forEach(applyStep)
      return plan
    } catch (error) {
      if (attempt === 3 || !isErrno(error, 'EEXIST', 'ENOENT')) throw error
    }
  }
}

export function uninstallHooks(hooksDir: string): { removed: HookName[]; warnings: string[] } {
  const removed: HookName[] = []
  const warnings: string[] = []
  const failures: string[] = []
  removeAbandoned(hooksDir)
  for (const name of hookNames) {
    try {
      const state = readHookState(hooksDir, name, () => listNames(hooksDir))
      const plan = planHookUninstall(state)
      plan.steps.forEach(applyStep)
      if (hasEntireHook(state)) removed.push(name)
      warnings.push(...plan.warnings)
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`)
    }
  }
  if (failures.length > 0)
    throw new EntireError('write-failed', `The git hooks could not be removed: ${failures.join('; ')}`, {
      hint: `Check that you can write to ${hooksDir}, then run the command again.`,
    })
  return { removed, warnings }
}

/** Runs at the start of every turn: reads a few small files and starts no process. */
export function hooksStatus(hooksDir: string, options: HookProgram): 'all' | 'outdated' | 'missing' {
  const names = listNames(hooksDir)
  if (names.some(isAbandoned)) return 'outdated'
  const states = hookNames.map((name) => readHookState(hooksDir, name, () => names))
  const stale = states.filter((state) => planHookInstall(state, options).steps.length > 0)
  if (stale.length === 0) return 'all'
  return stale.some((state) => !runs(state)) ? 'missing' : 'outdated'
}

function runs(state: HookState): boolean {
  const file = isHosted(state) ? state.legacy : state.main
  return file?.isEntireHook === true && file.isExecutable
}

function listNames(hooksDir: string): string[] {
  try {
    return readdirSync(hooksDir)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

// A process that was killed while it wrote a hook leaves it under the name that `writeAtomic` gave it.
function removeAbandoned(hooksDir: string): void {
  for (const name of listNames(hooksDir).filter(isAbandoned)) removeFile(join(hooksDir, name))
}

function isAbandoned(name: string): boolean {
  const hook = abandonedCopyOf(name)
  return hookNames.some((known) => known === hook)
}

function applyStep(step: HookStep): void {
  if (step.act !== 'write' && !isUnchanged(step.file)) throw conflict(step.file.path)
  if (step.act === 'write') writeAtomic(step.path, step.content, { mode: 0o755, dirMode: 0o777 })
  else if (step.act === 'remove') removeFile(step.file.path)
  else if (step.act === 'move') moveOver(step.file.path, step.to)
  else backUp(step.file, step.to)
}

function moveOver(from: string, to: string): void {
  // A rename cannot replace a file by a directory; git ignores directories anyway.
  if (lstatSync(from).isDirectory()) removeFile(to)
  renameSync(from, to)
}

// Adds a second name, so that the hook stays in place until Entire's is renamed over it: no commit ever finds
// it missing.
function backUp({ path, isSymlink: symlink }: HookFile, to: string): void {
  try {
    if (symlink) symlinkSync(readlinkSync(path), to)
    else linkSync(path, to)
  } catch (error) {
    if (isErrno(error, 'EEXIST', 'ENOENT')) throw error
    // A file system without hard links, or a directory.
    if (lstatSync(to, { throwIfNoEntry: false })) throw conflict(to)
    renameSync(path, to)
  }
}

function conflict(path: string): Error {
  return Object.assign(new Error(`${path} was changed by another program at the same time`), {
    code: 'EEXIST',
  })
}

// A plan is what must change for one hook to be installed or removed. After removal the directory looks as if
// Entire had never been there, even when a hook manager has moved files in the meantime.

export type HookStep =
  | { act: 'remove'; file: HookFile }
  | { act: 'move'; file: HookFile; to: string }
  /** Gives a displaced hook its backup name; never overwrites a backup. */
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
  /** Where pre-commit moves a hook it finds, and runs it from. */
  legacy: HookFile | undefined
  /** Where other managers move a hook they find. */
  aside: (HookFile | undefined)[]
  /** Hooks that Entire displaced, oldest first. The last one is chained. */
  backups: HookFile[]
}

/**
 * Reads the hook before the names beside it: a process that installs Entire's hook now has made the backup
 * first.
 */
export function readHookState(dir: string, name: HookName, listNames: () => string[]): HookState {
  const at = (file: string) => readHookFile(join(dir, file))
  const main = at(name)
  const backup = new RegExp(`^${name}\\.pre-entire(?:\\.(\\d+))?$`)
  const numbered = listNames().flatMap((file) => {
    const match = backup.exec(file)
    return match ? [{ file, number: Number(match[1] ?? 1) }] : []
  })
  // Another name for the same file is not a copy.
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

export function planHookInstall(state: HookState, options: HookProgram): HookPlan {
  const { name, dir, main } = state
  const plan: HookPlan = { steps: [], warnings: [] }
  const isReplaced = main !== undefined && !main.isEntireHook
  const hosted = isHosted(state)
  const slot = hosted ? state.legacy : main

  // A generated hook that was replaced can be generated again; chaining it would run what the user has
  // replaced.
  const isRestored = (backup: HookFile) => isReplaced && sameContent(backup, main)
  const kept = dropBackups(
    state,
    plan,
    (backup) => isReplaced && !hosted && backup.manager !== undefined && !isRestored(backup),
  )
  for (const stray of [hosted ? undefined : state.legacy, ...state.aside]) {
    if (!stray?.isEntireHook) continue
    const displaced = isReplaced && !hosted && !kept.some(isRestored) ? kept.pop() : undefined
    plan.steps.push(
      displaced ? { act: 'move', file: displaced, to: stray.path } : { act: 'remove', file: stray },
    )
  }

  const last = kept.at(-1)
  let chained = last && planChain(basename(last.path), last)
  if (
    slot &&
    !slot.isEntireHook &&
    !(last && sameContent(last, slot) && last.isExecutable === slot.isExecutable)
  ) {
    const file = nextBackup(name, last)
    if (last)
      plan.warnings.push(
        `replacing ${name} (backup ${chained?.file} already exists from a previous install); it is kept as ${file} and still runs`,
      )
    plan.steps.push({ act: 'keep', file: slot, to: join(dir, file) })
    chained = planChain(file, slot)
  }
  const program = findFallback(state, slot, options)
  const content = hookScript(name, { command: options.command, program, chained })
  if (!slot?.isEntireHook || !slot.isExecutable || slot.head !== Buffer.from(content).toString('latin1'))
    plan.steps.push({ act: 'write', path: join(dir, hosted ? `${name}.legacy` : name), content })
  return plan
}

/**
 * The program that a hook already names stays, or copies of this program would write it in turn. A directory outside
 * of git's own may be committed: a path of this machine does not belong there.
 */
function findFallback(
  { dir }: HookState,
  slot: HookFile | undefined,
  { program }: HookProgram,
): string | undefined {
  if (program === undefined || !exists(join(dir, '..', 'HEAD'))) return undefined
  const named = slot?.isEntireHook ? readProgram(slot.head) : undefined
  return named !== undefined && exists(named) ? named : program
}

function planHookUninstall(state: HookState): HookPlan {
  const { name, dir, main } = state
  const plan: HookPlan = { steps: [], warnings: [] }
  const isReplaced = main !== undefined && !main.isEntireHook
  const kept = dropBackups(
    state,
    plan,
    (backup) => isReplaced && (sameManager(backup, main) || sameContent(backup, main)),
  )
  const installed = [main, state.legacy, ...state.aside]
    .filter((file) => file !== undefined)
    .filter((file) => file.isEntireHook)
  // A displaced hook goes to where Entire's is now: a manager that moved Entire's aside would have moved it
  // there.
  const home = isReplaced ? installed[0]?.path : join(dir, name)
  const restored = home === undefined ? undefined : kept.pop()
  if (restored && home) plan.steps.push({ act: 'move', file: restored, to: home })
  for (const file of installed) if (!restored || file.path !== home) plan.steps.push({ act: 'remove', file })
  for (const { path } of kept)
    plan.warnings.push(`${name} was modified since install; backup ${basename(path)} left in place`)
  return plan
}

/**
 * Under pre-commit, Entire's hook is where pre-commit moves a hook it finds: there it survives every
 * `pre-commit install`. pre-commit passes no input on to a post-rewrite hook, so that one takes the ordinary
 * place.
 */
export function isHosted({ name, main }: HookState): boolean {
  return main?.manager === 'pre-commit' && main.isExecutable && name !== 'post-rewrite'
}

function hasEntireHook(state: HookState): boolean {
  return [state.main, state.legacy, ...state.aside].some((file) => file?.isEntireHook)
}

function dropBackups(
  state: HookState,
  plan: HookPlan,
  isObsolete: (backup: HookFile) => boolean,
): HookFile[] {
  return state.backups.filter((backup) => {
    if (!backup.isEntireHook && !isObsolete(backup)) return true
    plan.steps.push({ act: 'remove', file: backup })
    return false
  })
}

function sameManager(one: HookFile, other: HookFile): boolean {
  return one.manager !== undefined && one.manager === other.manager
}

function nextBackup(name: HookName, last: HookFile | undefined): string {
  if (!last) return `${name}.pre-entire`
  return `${name}.pre-entire.${Number(/\.(\d+)$/.exec(last.path)?.[1] ?? 1) + 1}`
}
