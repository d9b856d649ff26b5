// Checks what recording depends on outside the hooks: the version of git, settings, directories, the log.

import { accessSync, constants, lstatSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { findOldGit, installGitHint } from '../../git/exec.ts'
import { logFile, temporaryDir } from '../../sessions/places.ts'
import { sessionsDir } from '../../sessions/store.ts'
import { isSetUp, readSettings } from '../../settings/read.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { findStat } from '../../std/file.ts'
import { countOf } from '../../std/plural.ts'
import type { DoctorRun, Finding } from './finding.ts'
import { readHookErrors } from './log-file.ts'

export async function checkGit({ repo }: DoctorRun): Promise<Finding[]> {
  const version = await findOldGit(repo)
  if (version === undefined) return []
  return [
    {
      id: 'git-too-old',
      severity: 'error',
      title: `This git is too old: ${version}.`,
      detail: ['Recording uses options of later versions.'],
      fix: installGitHint,
      remedies: [],
    },
  ]
}

export async function checkSettings({ repo }: DoctorRun): Promise<Finding[]> {
  const base = { detail: [], remedies: [] }
  if (!isSetUp(repo.root))
    return [
      {
        ...base,
        id: 'not-set-up',
        severity: 'info',
        title: 'Entire is not set up in this repository.',
        fix: 'Run `entire enable`.',
      },
    ]
  try {
    if (readSettings(repo.root).enabled) return []
    return [
      {
        ...base,
        id: 'disabled',
        severity: 'info',
        title: 'Recording is disabled in this repository.',
        fix: 'Run `entire enable`.',
      },
    ]
  } catch (error) {
    const fix = (error instanceof EntireError ? error.hint : undefined) ?? 'Fix the file.'
    const detail = ['Until then hooks record with the default settings.']
    return [
      { id: 'settings-unreadable', severity: 'error', title: messageOf(error), detail, fix, remedies: [] },
    ]
  }
}

/** A repository could contain a link that makes entire write outside of it. */
export async function checkDirectories({ repo }: DoctorRun): Promise<Finding[]> {
  const own = ['', '/metadata', '/tmp', '/settings.json', '/settings.local.json', '/.gitignore']
  const paths = own.map((name) => join(repo.root, `.entire${name}`))
  return [...paths, sessionsDir(repo), dirname(logFile(repo)), temporaryDir(repo)]
    .filter(isLink)
    .map((path) => {
      const name = relative(repo.root, path)
      return {
        id: 'symlinked-directory',
        subject: name,
        severity: 'warning',
        title: `${name} is a symbolic link.`,
        detail: ['Entire does not follow it: what belongs there is neither read nor written.'],
        fix: `Remove it: \`rm ${name}\`.`,
        remedies: [],
      }
    })
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

export async function checkLog({ repo }: DoctorRun): Promise<Finding[]> {
  if (!isSetUp(repo.root)) return []
  const dir = dirname(logFile(repo))
  const problem = whyUnwritable(repo.root, dir, logFile(repo))
  if (problem === undefined) return []
  return [
    {
      id: 'log-unwritable',
      severity: 'warning',
      title: 'The log cannot be written, so hook failures go unnoticed.',
      detail: [problem],
      fix: `Make ${relative(repo.root, dir)} a directory you can write to.`,
      remedies: [],
    },
  ]
}

// Only reads permissions: a check must not write.
function whyUnwritable(root: string, dir: string, file: string): string | undefined {
  const last = [file, dir, dirname(dir), root].find((path) => findStat(path) !== undefined) as string
  if (last !== file && !findStat(last)?.isDirectory()) return `${relative(root, last)} is not a directory.`
  try {
    accessSync(last, constants.W_OK)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Reads the log for errors of hooks, which hooks never show to their callers. */
export async function checkHookErrors({ repo, now }: DoctorRun): Promise<Finding[]> {
  const { errors, hasRecovered } = readHookErrors(repo, now)
  const [last] = errors
  if (last === undefined) return []
  return [
    {
      id: 'hook-errors',
      severity: hasRecovered ? 'info' : 'warning',
      title: `Hooks failed ${countOf(errors.length, 'time')} during the last day${hasRecovered ? ', and have succeeded since' : ''}.`,
      detail: [`Last: ${last.time} ${last.message}`],
      fix: '`entire doctor logs --level error` shows them all.',
      remedies: [],
    },
  ]
}
