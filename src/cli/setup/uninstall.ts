// Runs `entire disable --uninstall`: removes everything from a repository except checkpoints, the user's
// data.

import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readHookedPlugins, rememberHooks } from '../../agents/external/hooked-plugins.ts'
import { branchName, isShadowRef, metadataBranch, metadataRef } from '../../checkpoints/layout.ts'
import { readConfig } from '../../git/config.ts'
import { git } from '../../git/exec.ts'
import { uninstallHooks } from '../../git/hooks/install.ts'
import { hookMarker, hookNames } from '../../git/hooks/names.ts'
import { listRefs, moveRefs, type RefTip } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { originalsDir } from '../../sessions/places.ts'
import { sessionsDir } from '../../sessions/store.ts'
import { removeIgnoredLines } from '../../settings/write.ts'
import { EntireError, isErrno } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { countOf } from '../../std/plural.ts'
import { confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { findGonePlugins, type GonePlugin, hooksLeftError } from './health.ts'
import { type HookedAgent, hookSite, readAgentHooks, removeAgentHooks, sweepKilledSetup } from './setup.ts'

export async function runUninstall(cli: Cli, repo: Repo, force: boolean): Promise<void> {
  const plan = await planRepoUninstall(repo, await findGonePlugins(repo, cli.env))
  const items = describeUninstall(plan)
  if (items.length === 0) {
    await uninstallFromRepo(repo, plan)
    return cli.out('Entire is not installed in this repository.')
  }
  cli.out('This will completely remove Entire from this repository:')
  for (const item of items) cli.out(`  - ${item}`)
  cli.out()
  const question = {
    message: 'Are you sure you want to uninstall Entire?',
    noTerminalHint: 'Run `entire disable --uninstall --force`.',
  }
  if (!force && !(await confirm(cli, question))) return cli.out('Uninstall cancelled.')
  const { done, warnings, failed } = await uninstallFromRepo(repo, plan)
  for (const warning of warnings) cli.note(`[entire] Warning: ${warning}`)
  for (const line of done) cli.out(`  ${line}`)
  if (failed.length > 0) throw incomplete(failed)
  cli.out('\nEntire CLI uninstalled successfully.')
  if ((await listRefs(repo, metadataRef)).length > 0) {
    cli.out(
      `Your checkpoints are still on the branch ${metadataBranch}. To delete them: git branch -D ${metadataBranch}`,
    )
  }
}

function incomplete(failed: EntireError[]): EntireError {
  return new EntireError('agent-failed', failed.map(({ message }) => message).join('\n'), {
    hint: failed.map(({ hint }) => hint ?? '').join('\n'),
  })
}

interface UninstallPlan {
  /** The agents that have hooks, or cannot tell whether they have. */
  agents: HookedAgent[]
  /** Their hooks stay, because only the plugin could remove them. */
  gone: GonePlugin[]
  hooksDir: string
  gitHooks: number
  sessions: number
  shadowRefs: RefTip[]
  /** What rewind, clean and reset keep for undo. */
  undoRefs: RefTip[]
  /** Copies of refs of remotes. */
  remoteRefs: RefTip[]
  hasEntireDir: boolean
  /** Files of `.entire` that are committed: their deletion will show in `git status`. */
  committed: string[]
}

async function planRepoUninstall(repo: Repo, gone: GonePlugin[]): Promise<UninstallPlan> {
  const { hooksDir } = await readConfig(repo)
  const tracked = await git(repo, ['ls-files', '-z', '--', '.entire'])
  const refs = await listRefs(
    repo,
    'refs/heads/entire/',
    'refs/entire/',
    'refs/entire-remotes/',
    'refs/entire-fetch-tmp/',
  )
  const below = (prefix: string) => refs.filter(({ ref }) => ref.startsWith(prefix))
  return {
    agents: (await readAgentHooks(repo)).flatMap(({ agent, installed }) =>
      installed === false ? [] : agent,
    ),
    gone,
    hooksDir,
    gitHooks: hookNames.filter((name) => hasMarker(hooksDir, name)).length,
    sessions: listDir(sessionsDir(repo)).filter((name) => name.endsWith('.json')).length,
    shadowRefs: refs.filter(({ ref }) => isShadowRef(ref)),
    undoRefs: below('refs/entire/').filter(({ ref }) => !ref.startsWith('refs/entire/checkpoints/')),
    remoteRefs: [...below('refs/entire-remotes/'), ...below('refs/entire-fetch-tmp/')],
    hasEntireDir: hasEntireDir(repo.root),
    committed: tracked.stdout
      .toString('utf8')
      .split('\0')
      .filter((path) => path !== ''),
  }
}

/** A line for each thing that would be removed; none when nothing is installed. */
function describeUninstall(plan: UninstallPlan): string[] {
  const committed = plan.committed.length > 0 ? ` (committed: ${plan.committed.join(', ')})` : ''
  const lines: [boolean, string][] = [
    [plan.hasEntireDir, `.entire/ directory${committed}`],
    [plan.gitHooks > 0, `Git hooks (${plan.gitHooks})`],
    [plan.sessions > 0, `Session state files (${plan.sessions})`],
    [plan.shadowRefs.length > 0, `Shadow branches (${plan.shadowRefs.length})`],
    [plan.undoRefs.length > 0, `Data kept for undo (${plan.undoRefs.length})`],
    [plan.agents.length > 0, `Agent hooks (${plan.agents.map((agent) => agent.type).join(', ')})`],
    [
      plan.gone.length > 0,
      `Not the hooks of ${plan.gone.map(({ type }) => type).join(', ')}, whose plugin is gone`,
    ],
  ]
  return lines.filter(([present]) => present).map(([, line]) => line)
}

interface Uninstalled {
  /** A line for each thing that was removed. */
  done: string[]
  warnings: string[]
  /** Why hooks of external agents may still be there, and how to remove them. */
  failed: EntireError[]
}

/** Removes hooks first, so that nothing is recorded while the rest is removed. */
async function uninstallFromRepo(repo: Repo, plan: UninstallPlan): Promise<Uninstalled> {
  const done: string[] = []
  const failed: EntireError[] = plan.gone.map(hooksLeftError)
  const stay = new Set(plan.gone.map(({ name }) => name))
  for (const agent of plan.agents) {
    try {
      await removeAgentHooks(repo, agent)
      done.push(`Removed ${agent.type} hooks`)
    } catch (error) {
      // A plugin that fails does not stop the rest.
      if (agent.executable === undefined || !(error instanceof EntireError)) throw error
      failed.push(error)
      stay.add(agent.name)
    }
  }
  sweepKilledSetup(repo)
  const { removed, warnings } = uninstallHooks(plan.hooksDir)
  if (removed.length > 0) done.push(`Removed git hooks (${removed.length})`)
  if (plan.sessions > 0) done.push(`Removed session states (${plan.sessions})`)
  rmSync(sessionsDir(repo), { recursive: true, force: true })
  if (plan.hasEntireDir) done.push(removeEntireDir(repo.root))
  await moveRefs(
    repo,
    [...plan.shadowRefs, ...plan.undoRefs, ...plan.remoteRefs].map(({ ref, oid }) => ({
      ref,
      to: undefined,
      from: oid,
    })),
  )
  done.push(...plan.shadowRefs.map(({ ref }) => `Deleted shadow branch ${branchName(ref)}`))
  if (plan.undoRefs.length > 0) done.push(`Removed data kept for undo (${plan.undoRefs.length})`)
  const left = readHookedPlugins(hookSite(repo)).filter(({ name }) => stay.has(name))
  for (const path of findOwnFiles(repo)) rmSync(path, { recursive: true, force: true })
  // Kept, so that a second try does not report that nothing is installed.
  for (const plugin of left) rememberHooks(hookSite(repo), plugin)
  return { done, warnings, failed }
}

function hasMarker(hooksDir: string, name: string): boolean {
  return [name, `${name}.legacy`].some((file) => readText(join(hooksDir, file))?.includes(hookMarker))
}

const ownFiles =
  /^entire(?:\.lock|-watch\.lock|-(?:agents|config|kept|live|pending|undo|watch)\.json|-rewrite|-missed|-logs|-tmp|-checkpoint-push-queue\.jsonl)(?:\..*)?$/

// Originals of agents' files go for this work tree only; in the others, only files that can be made again.
function findOwnFiles(repo: Repo): string[] {
  const worktrees = listDir(join(repo.commonDir, 'worktrees')).map((name) =>
    join(repo.commonDir, 'worktrees', name),
  )
  const found = [repo.commonDir, ...worktrees].flatMap((dir) =>
    listDir(dir)
      .filter((name) => ownFiles.test(name))
      .map((name) => join(dir, name)),
  )
  return [...found, originalsDir(repo)]
}

function listDir(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir) : []
}

const entireDir = '.entire'

/** Paths below `.entire` of files that Entire writes, or has written in earlier versions. */
const written = [
  /^settings(?:\.local)?\.json(?:\.\d+\.tmp)?$/,
  /^\.gitignore\.\d+\.tmp$/,
  /^logs\/[^/]+\.log(?:\.1)?$/,
  /^tmp\/(?:pi\/)?[^/]+\.json$/,
  /^tmp\/[^/]+\.tmp$/,
  /^tmp\/rewind\//,
  /^metadata\/[^/]+\/(?:prompt|summary|content_hash)\.txt(?:\.\d+\.tmp)?$/,
  /^metadata\/[^/]+\/(?:context\.md|metadata\.json|full\.(?:jsonl|log)(?:\.\d+)?)$/,
  /^metadata\/[^/]+\/tasks\//,
]

function hasEntireDir(root: string): boolean {
  return lstatSync(join(root, entireDir), { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Removes what Entire wrote below `.entire`. The user's own files stay, and no link is followed. Returns a line
 * that says what happened.
 */
function removeEntireDir(root: string): string {
  try {
    removeIgnoredLines(root)
  } catch (error) {
    // A link in place of the file is the project's own.
    if (!(error instanceof EntireError)) throw error
  }
  const left = removeBelow(join(root, entireDir), '')
  return left === 0
    ? 'Removed .entire directory'
    : `Left your own files in .entire (${countOf(left, 'file')})`
}

/** Returns how many files are left. */
function removeBelow(base: string, below: string): number {
  let left = 0
  for (const entry of readdirSync(join(base, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) left += removeBelow(base, path)
    else if (written.some((pattern) => pattern.test(path))) unlinkSync(join(base, path))
    else left += 1
  }
  if (left === 0) removeEmpty(join(base, below))
  return left
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch (error) {
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error
  }
}
