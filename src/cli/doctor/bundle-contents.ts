// Collects the files of a bundle for a bug report. Every field is chosen here; anything else stays out.

import { release } from 'node:os'
import { join } from 'node:path'
import { git } from '../../git/exec.ts'
import { findHookManagers } from '../../git/hooks/files.ts'
import { listRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { listSessions } from '../../sessions/store.ts'
import { settingsFiles, settingsPaths } from '../../settings/read.ts'
import { messageOf } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { findLink } from '../../std/inside.ts'
import { asObject, formatJson, type Json, type JsonObject, parseJson } from '../../std/json.ts'
import { version } from '../../std/version.ts'
import { readHookHealth } from '../setup/health.ts'
import { runChecks } from './all-checks.ts'
import { type DoctorRun, type Finding, findingJson, isWrong } from './finding.ts'
import { parseLogLine, readLogBackwards } from './log-file.ts'

export interface BundleFile {
  name: string
  about: string
  text: string
}

const logLines = 500
const refLines = 500

export async function collectBundle(run: DoctorRun): Promise<BundleFile[]> {
  const { repo } = run
  const parts: [name: string, about: string, text: () => string | Promise<string>][] = [
    [
      'environment.json',
      'versions of entire, git and the system',
      async () => formatJson(await describeEnvironment(run)),
    ],
    ['settings.json', 'settings, without free text', () => formatJson(describeSettings(repo))],
    ['hooks.json', 'which hooks are installed', async () => formatJson(await describeHooks(run))],
    [
      'sessions.json',
      'state of each session, without prompts and file names',
      () => formatJson(listSessions(repo).map(describeSession)),
    ],
    ['refs.txt', 'branches and refs of entire, with commit ids only', () => describeRefs(repo)],
    ['log.jsonl', `the last ${logLines} lines of the log`, () => readLogTail(repo)],
    [
      'findings.json',
      'findings of `entire doctor`',
      async () => formatJson((await runChecks(run)).map(describeFinding)),
    ],
  ]
  return Promise.all(parts.map(async ([name, about, text]) => ({ name, about, text: await attempt(text) })))
}

// Bundles are made when something is broken: a part that fails does not stop the others.
async function attempt(read: () => string | Promise<string>): Promise<string> {
  try {
    return await read()
  } catch (error) {
    return `${JSON.stringify({ failed: messageOf(error) })}\n`
  }
}

async function describeEnvironment({ cli, repo }: DoctorRun): Promise<JsonObject> {
  const gitVersion = await git(repo, ['--version']).then(
    ({ stdout }) => stdout.toString('utf8').trim(),
    () => 'not found',
  )
  return {
    entire: version,
    bun: Bun.version,
    git: gitVersion,
    platform: process.platform,
    architecture: process.arch,
    system: release(),
    linked_worktree: repo.worktreeId !== '',
    // Only the names: values may be credentials.
    variables: Object.keys(cli.env)
      .filter((name) => /^(ENTIRE|GIT)_/.test(name))
      .sort(),
  }
}

function describeSettings(repo: Repo): JsonObject {
  const files = settingsFiles(repo.root).map((file) => {
    if (findLink(repo.root, settingsPaths[file]) !== undefined)
      return [settingsPaths[file], 'behind a symbolic link'] as const
    const text = readText(join(repo.root, settingsPaths[file])) ?? ''
    const value = parseJson(text)
    return [
      settingsPaths[file],
      value === undefined ? `not JSON (${text.length} characters)` : outline(value),
    ] as const
  })
  return Object.fromEntries(files)
}

/** Keeps numbers, booleans and single words, and replaces all other text. */
function outline(value: Json): Json {
  if (typeof value === 'string') return /^[A-Za-z][A-Za-z-]{0,20}$/.test(value) ? value : '(text)'
  if (Array.isArray(value)) return value.map(outline)
  const fields = asObject(value)
  return fields === undefined
    ? value
    : Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, outline(field)]))
}

async function describeHooks({ cli, repo, recorder }: DoctorRun): Promise<JsonObject> {
  const health = await readHookHealth(cli, repo, recorder.settings)
  return {
    agents: health.agents.map(({ name }) => name),
    outdated: health.outdated.map(({ name }) => name),
    git: health.git,
    managers: findHookManagers(repo.root),
  }
}

function describeSession(session: ReturnType<typeof listSessions>[number]): JsonObject {
  return {
    session_id: session.id,
    agent: session.agentType,
    model: session.model ?? null,
    written_by: session.cliVersion,
    phase: session.phase,
    started_at: session.startedAt,
    ended_at: session.endedAt ?? null,
    last_interaction_time: session.lastInteraction ?? null,
    base_commit: session.baseCommit,
    turns: session.turnCount,
    steps: session.stepCount,
    files_touched: session.filesTouched.length,
    turn_checkpoint_ids: session.turnCheckpoints,
    last_checkpoint_id: session.lastCheckpoint ?? null,
    fully_condensed: session.fullyCondensed,
    transcript_position: session.cursor?.items ?? null,
    other_fields: Object.keys(session.extra),
  }
}

async function describeRefs(repo: Repo): Promise<string> {
  const patterns = [
    'refs/heads/entire',
    'refs/entire',
    'refs/entire-remotes',
    'refs/notes/entire-checkpoints',
    'refs/remotes/*/entire/**',
  ]
  const refs = await listRefs(repo, ...patterns)
  const more = refs.length > refLines ? `… and ${refs.length - refLines} more\n` : ''
  return refs.slice(0, refLines).reduce((text, { ref, oid }) => `${text}${oid} ${ref}\n`, '') + more
}

// The details of an `info` finding may name the user's files.
function describeFinding(finding: Finding): JsonObject {
  return findingJson(isWrong(finding) ? finding : { ...finding, detail: [] })
}

const logFields = [
  'time',
  'level',
  'msg',
  'component',
  'agent',
  'session_id',
  'hook',
  'checkpoint',
  'ms',
  'phases',
]

function readLogTail(repo: Repo): string {
  const lines: string[] = []
  for (const text of readLogBackwards(repo)) {
    if (lines.length >= logLines) break
    const record = parseLogLine(text)?.record
    if (record !== undefined) lines.push(`${JSON.stringify(record, logFields)}\n`)
  }
  return lines.reverse().join('')
}
