// `entire rewind`: the points of the past, the way back to a step, and the way forth again.
import { buildCommand } from '@stricli/core'
import type { RewindPlan } from '../../checkpoints/rewind-plan.ts'
import { type RewindPoint, readRewindPoints } from '../../checkpoints/rewind-points.ts'
import { readObjects } from '../../git/cat-file.ts'
import { rewindTo, undoRewind } from '../../session/rewind.ts'
import { listSessions } from '../../session/store.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { type Cli, requireRepo } from '../context.ts'
import { saysDisabled } from '../disabled.ts'
import { said } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { createRecorder } from '../recorder.ts'
import { clean } from '../render/text.ts'

interface RewindFlags {
  list?: boolean
  to?: string
  undo?: boolean
  'dry-run'?: boolean
  json?: boolean
}

export const rewindCommand = buildCommand<RewindFlags, [], Cli>({
  async func(flags) {
    const chosen = [flags.list, flags.to !== undefined, flags.undo].filter(Boolean).length
    if (chosen !== 1)
      throw new EntireError('bad-usage', 'Say where to go: one of --list, --to <id> and --undo.', {
        hint: '`entire rewind --list` shows the points.',
      })
    const repo = requireRepo(this, 'rewind')
    if (saysDisabled(this, repo)) return
    await using objects = readObjects(repo)
    const points = flags.undo ? [] : await readRewindPoints(repo, objects, listSessions(repo))
    if (flags.list) return void this.process.stdout.write(formatJson(points.map(formatPoint)))
    const recorder = createRecorder(repo, { component: 'rewind' })
    const options = { dryRun: flags['dry-run'] === true }
    const plan = flags.undo ? await undoRewind(recorder, options) : await rewindTo(recorder, findStep(points, flags.to ?? ''), options)
    this.process.stdout.write(flags.json ? formatJson(plan) : formatPlan(plan, options.dryRun))
  },
  parameters: {
    flags: {
      list: said('Print the points as JSON, newest first'),
      to: {
        kind: 'parsed',
        parse: String,
        brief: 'Go back to the step with this id (7 or more of its digits)',
        placeholder: 'id',
        optional: true,
      },
      undo: said('Return to what the last rewind replaced'),
      'dry-run': said('Say what would happen, and change nothing'),
      json: said('Print what was planned or done as JSON'),
    },
  },
  docs: {
    brief: 'List the points of the past, go back to a step, and undo that',
    fullDescription: formatManual({
      text: [
        'Points are the steps recorded since the last commit, and commits whose session logs are stored. At most 20 are listed.',
        'Going back changes only files that differ from the step. Files you created, ignored files and files that were there before the session are never deleted; index and branch are not touched.',
        'What is replaced is kept first: --undo brings it back, one rewind at a time.',
      ],
      examples: [
        ['entire rewind --list', 'all points'],
        ['entire rewind --to 3fa9c21 --dry-run', 'what would change'],
        ['entire rewind --to 3fa9c21', 'go back'],
        ['entire rewind --undo', 'and forth again'],
      ],
    }),
  },
})

function findStep(points: RewindPoint[], id: string): string {
  const found = points.filter((point) => point.id === id || (id.length >= 7 && point.id.startsWith(id)))
  const [point] = found
  if (point === undefined || found.length > 1)
    throw new EntireError('not-found', `rewind point not found: ${clean(id)}`, { hint: '`entire rewind --list` shows the points.' })
  if (point.isLogsOnly) {
    throw new EntireError('bad-usage', `${point.id.slice(0, 7)} is a commit: its files are in git, and only its session logs are ours.`, {
      hint: `To see its files: git switch --detach ${point.id.slice(0, 7)}`,
    })
  }
  return point.id
}

function formatPlan(plan: RewindPlan, isDryRun: boolean): string {
  const lines = [
    ...plan.restore.map((path) => `  Restored: ${clean(path)}`),
    ...plan.remove.map((path) => `  Deleted: ${clean(path)}`),
    ...plan.keep.map((path) => `  Kept: ${clean(path)} (not made by a session)`),
  ]
  if (plan.restore.length + plan.remove.length === 0) return `${[...lines, 'Nothing differs: no file was changed.'].join('\n')}\n`
  return `${[...lines, isDryRun ? 'Dry run: no file was changed.' : 'Done. `entire rewind --undo` takes it back.'].join('\n')}\n`
}

function formatPoint(point: RewindPoint): JsonObject {
  return {
    id: point.id,
    message: clean(point.message),
    metadata_dir: point.metadataDir,
    date: point.date,
    is_task_checkpoint: point.isTask,
    ...(point.toolUse === undefined ? {} : { tool_use_id: point.toolUse }),
    is_logs_only: point.isLogsOnly,
    ...(point.checkpoint === undefined ? {} : { condensation_id: point.checkpoint }),
    ...(point.session === undefined ? {} : { session_id: point.session }),
    ...(point.prompt === undefined ? {} : { session_prompt: clean(point.prompt) }),
  }
}
