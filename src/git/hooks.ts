// Puts our git hooks beside those of everybody else, and takes them out again without a trace.
import { linkSync, lstatSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { EntireError, isErrno, messageOf } from '../std/errors.ts'
import { removeFile, writeAtomic } from '../std/file.ts'
import { type HookFile, isUnchanged } from './hook-file.ts'
import { type HookName, hookNames } from './hook-names.ts'
import { type HookPlan, type HookState, type HookStep, isHosted, isOurs, planInstall, planUninstall, readHookState } from './hook-plan.ts'

export interface InstalledHooks {
  /** Hooks whose file was written; none when everything was up to date. */
  written: HookName[]
  /** Names of files that existing hooks were moved to. */
  backups: string[]
  warnings: string[]
}

export function installHooks(hooksDir: string, options: { command: string }): InstalledHooks {
  const done: InstalledHooks = { written: [], backups: [], warnings: [] }
  try {
    for (const name of hookNames) {
      const { steps, warnings } = install(hooksDir, name, options.command)
      if (steps.some((step) => step.act === 'write')) done.written.push(name)
      done.backups.push(...steps.flatMap((step) => (step.act === 'keep' ? [basename(step.to)] : [])))
      done.warnings.push(...warnings)
    }
  } catch (cause) {
    throw new EntireError('write-failed', `Cannot install git hooks in ${hooksDir}: ${messageOf(cause)}`, {
      hint: 'Check that it is a directory you can write to; `git config core.hooksPath` may name another one.',
      cause,
    })
  }
  return done
}

// Two sessions may install at the same time. A backup is never written over, so the slower one looks again.
function install(hooksDir: string, name: HookName, command: string): HookPlan {
  for (let attempt = 1; ; attempt += 1) {
    const plan = planInstall(
      readHookState(hooksDir, name, () => listNames(hooksDir)),
      command,
    )
    try {
      plan.steps.forEach(take)
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
  for (const name of hookNames) {
    try {
      const state = readHookState(hooksDir, name, () => listNames(hooksDir))
      const plan = planUninstall(state)
      plan.steps.forEach(take)
      if (isOurs(state)) removed.push(name)
      warnings.push(...plan.warnings)
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`)
    }
  }
  if (failures.length > 0)
    throw new EntireError('write-failed', `failed to remove hooks: ${failures.join('; ')}`, {
      hint: `Check that you can write to ${hooksDir}, then run the command again.`,
    })
  return { removed, warnings }
}

/** Runs at every turn start: reads a handful of small files and starts nothing. */
export function hooksInstalled(hooksDir: string, options: { command: string }): 'all' | 'outdated' | 'missing' {
  const names = listNames(hooksDir)
  const states = hookNames.map((name) => readHookState(hooksDir, name, () => names))
  const stale = states.filter((state) => planInstall(state, options.command).steps.length > 0)
  if (stale.length === 0) return 'all'
  return stale.some((state) => !runs(state)) ? 'missing' : 'outdated'
}

function runs(state: HookState): boolean {
  const file = isHosted(state) ? state.legacy : state.main
  return file?.ours === true && file.executable
}

function listNames(hooksDir: string): string[] {
  try {
    return readdirSync(hooksDir)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

function take(step: HookStep): void {
  if (step.act !== 'write' && !isUnchanged(step.file)) throw conflict(step.file.path)
  if (step.act === 'write') writeAtomic(step.path, step.content, { mode: 0o755, dirMode: 0o777 })
  else if (step.act === 'remove') removeFile(step.file.path)
  else if (step.act === 'move') moveOver(step.file.path, step.to)
  else keep(step.file, step.to)
}

function moveOver(from: string, to: string): void {
  // A file cannot be replaced by a directory in one go; git ignores directories anyway.
  if (lstatSync(from).isDirectory()) removeFile(to)
  renameSync(from, to)
}

// A second name first: the hook stays in its place until ours is renamed over it, so no commit ever finds it missing.
function keep({ path, symlink }: HookFile, to: string): void {
  try {
    if (symlink) symlinkSync(readlinkSync(path), to)
    else linkSync(path, to)
  } catch (error) {
    if (isErrno(error, 'EEXIST', 'ENOENT')) throw error
    // No hard links here, or a directory.
    if (lstatSync(to, { throwIfNoEntry: false })) throw conflict(to)
    renameSync(path, to)
  }
}

function conflict(path: string): Error {
  return Object.assign(new Error(`${path} was changed by another program at the same time`), { code: 'EEXIST' })
}
