// Runs all checks of `entire doctor`. Findings are reported and fixed in the order of the table:
// prerequisites first.

import { EntireError, messageOf } from '../../std/errors.ts'
import { checkBranches, checkFetched, checkLinks, checkMetadata } from './data-checks.ts'
import { checkDirectories, checkGit, checkHookErrors, checkLog, checkSettings } from './environment-checks.ts'
import type { DoctorRun, Finding } from './finding.ts'
import {
  checkGitLocks,
  checkLocks,
  checkPending,
  checkStates,
  checkTemporaryPacks,
} from './git-dir-checks.ts'
import {
  checkAgentHooks,
  checkGitHooks,
  checkObstacles,
  checkPlugins,
  checkProgram,
  checkUnreported,
} from './hook-checks.ts'
import { checkProvisional, checkStuck } from './session-checks.ts'

type Check = (run: DoctorRun) => Promise<Finding[]>

const checks = {
  'the version of git': checkGit,
  settings: checkSettings,
  directories: checkDirectories,
  'the log': checkLog,
  'the program': checkProgram,
  'agent hooks': checkAgentHooks,
  'permission to run agent hooks': checkObstacles,
  'unreported sessions': checkUnreported,
  plugins: checkPlugins,
  'git hooks': checkGitHooks,
  locks: checkLocks,
  'git locks': checkGitLocks,
  'session states': checkStates,
  'unfinished commits': checkPending,
  'temporary packs': checkTemporaryPacks,
  'provisional checkpoints': checkProvisional,
  sessions: checkStuck,
  'shadow branches': checkBranches,
  'temporary refs': checkFetched,
  'the metadata branch': checkMetadata,
  'links from commits to checkpoints': checkLinks,
  'hook errors': checkHookErrors,
} satisfies Record<string, Check>

/** A check that fails becomes a finding of its own; the others still run. */
export async function runChecks(run: DoctorRun): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(checks).map(([name, check]) =>
      check(run).catch((error: unknown) => [failed(name, error)]),
    ),
  )
  const findings = found.flat()
  // Without git nearly every check fails for the same reason: report it once.
  const missing = findings.filter(
    ({ id, subject }) => id === 'check-failed' && subject === 'the version of git',
  )
  return missing.length === 0 ? findings : [...missing, ...findings.filter(({ id }) => id !== 'check-failed')]
}

function failed(name: string, error: unknown): Finding {
  return {
    id: 'check-failed',
    subject: name,
    severity: 'error',
    title: `Could not check ${name}.`,
    detail: [messageOf(error)],
    fix:
      (error instanceof EntireError ? error.hint : undefined) ??
      'Fix the cause named above and run `entire doctor` again.',
    remedies: [],
  }
}
