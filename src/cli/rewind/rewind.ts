// Defines `entire rewind`, which lists the points to go back to, goes to one, and undoes that.

import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import { cannotCombine, EntireError, requires } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled, settingsFor } from '../preconditions.ts'

interface RewindFlags {
  list?: boolean
  to?: string
  logsOnly?: boolean
  reset?: boolean
  force?: boolean
  undo?: boolean
  redo?: boolean
  everything?: boolean
  dryRun?: boolean
  json?: boolean
}

export const rewindCommand = buildCommand<RewindFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'rewind')
    checkFlags(this, flags)
    // Works in a disabled repository, too: a rewind made by mistake must be undone.
    if (flags.undo || flags.redo) return undo(this, repo, flags)
    if (reportIfDisabled(this, repo)) return
    // On a terminal the list begins at once; a program gets all of it or an error.
    const begun = flags.list && this.isTerminal ? '[' : ''
    this.process.stdout.write(begun)
    const [{ openObjectReader }, { findPoint, formatPoint, readPoints }] = await Promise.all([
      import('../../git/cat-file.ts'),
      import('./points.ts'),
    ])
    await using objects = openObjectReader(repo)
    const points = await readPoints(repo, objects, settingsFor(this, repo).strategy)
    if (flags.list)
      return void this.process.stdout.write(formatJson(points.map(formatPoint)).slice(begun.length))
    if (points.length === 0 && (await objects.info('HEAD')) === undefined)
      throw new EntireError('no-commits', 'This repository has no commits yet.', {
        hint: 'The first turn after the first commit creates the first rewind point.',
      })
    const [{ systemRecorder }, { planOptions }] = await Promise.all([
      import('../recorder.ts'),
      import('./rewind-run.ts'),
    ])
    const options = planOptions(this, repo, flags)
    const recorder = systemRecorder(repo, { component: 'rewind' })
    if (flags.to === undefined) {
      const { pickPoint } = await import('./pick-point.ts')
      // Awaited here, because the object reader is closed when this function returns.
      return await pickPoint({ cli: this, recorder, objects, options }, points)
    }
    const { goToPoint } = await import('./to-point.ts')
    const mode = flags.reset ? 'reset' : flags.logsOnly ? 'logs' : 'all'
    await goToPoint({ cli: this, recorder, objects, point: findPoint(points, flags.to), options }, mode)
  },
  parameters: {
    flags: {
      list: switchFlag('Print the points as JSON, newest first'),
      to: valueFlag('id', 'Go to the point with this id (at least 7 digits)'),
      logsOnly: switchFlag('With --to: restore only the session logs, not the files'),
      reset: switchFlag('With --to a commit: also move the branch, with its files and the index'),
      force: switchFlag('With --reset: do not ask'),
      everything: switchFlag('With --to a step: restore the exact state, also over your own changes'),
      undo: switchFlag('Undo the last rewind or reset'),
      redo: switchFlag('Redo what the last undo undid'),
      dryRun: switchFlag('Show what would happen, without changing anything'),
      json: switchFlag('Print the plan or the result as JSON'),
    },
    aliases: { f: 'force', d: 'dryRun' },
  },
  docs: {
    brief: 'Go back to an earlier point of a session, or undo that',
    fullDescription: formatManual({
      text: [
        'Points are the steps recorded since the last commit, and commits whose session logs are stored. At most 20 are shown.',
        'Without flags, shows a menu of points.',
        'Going back to a step takes back what agents did since, and restores the conversation of that time. Files that only you changed',
        'stay; a file that both changed is merged, and where that is not possible the step wins. --everything restores the exact state.',
        'Ignored files are never changed; index and branch are not changed.',
        'Going back to a commit restores only the session logs; --reset also moves the branch, after asking.',
        'Everything that is replaced is kept for 30 days: --undo restores it, one rewind at a time, and --redo reverses an undo.',
        'The same applies to --reset: files, index and branch are restored.',
      ],
      examples: [
        ['entire rewind', 'choose a point'],
        ['entire rewind --list', 'all points, for scripts'],
        ['entire rewind --to 3fa9c21 --dry-run', 'what would change'],
        ['entire rewind --to 3fa9c21', 'go back'],
        ['entire rewind --undo', 'and undo that'],
        ['entire rewind --to 9fceb02 --reset', 'move the branch to a commit'],
      ],
    }),
  },
})

const listHint = '`entire rewind --list` shows the points.'

function checkFlags(cli: Cli, flags: RewindFlags): void {
  const chosen = [
    ...(flags.list ? ['--list'] : []),
    ...(flags.to === undefined ? [] : ['--to']),
    ...(flags.undo ? ['--undo'] : []),
    ...(flags.redo ? ['--redo'] : []),
  ]
  if (chosen.length > 1) throw cannotCombine(chosen, listHint)
  if (flags.to === undefined && flags.reset) throw requires('--reset', '--to', listHint)
  if (flags.to === undefined && flags.everything) throw requires('--everything', '--to', listHint)
  if (flags.to === undefined && flags.logsOnly) throw requires('--logs-only', '--to', listHint)
  if (flags.reset && flags.logsOnly)
    throw cannotCombine(['--reset', '--logs-only'], 'One moves the branch, the other does not.')
  if (flags.everything && (flags.reset || flags.logsOnly))
    throw cannotCombine(['--everything', flags.reset ? '--reset' : '--logs-only'], listHint)
  if (flags.force && !flags.reset)
    throw requires('--force', '--reset', 'Only a reset asks a question that --force answers.')
  if (chosen.length === 0 && (flags.json || flags.dryRun || !cli.interactive))
    throw new EntireError('bad-usage', 'Choose one of --list, --to <id>, --undo and --redo.', {
      hint: listHint,
    })
}

async function undo(cli: Cli, repo: Repo, flags: RewindFlags): Promise<void> {
  const [{ systemRecorder }, { planOptions }, { runUndo }] = await Promise.all([
    import('../recorder.ts'),
    import('./rewind-run.ts'),
    import('./undo.ts'),
  ])
  await runUndo(
    cli,
    systemRecorder(repo, { component: 'rewind' }),
    flags.redo ? 'redo' : 'undo',
    planOptions(cli, repo, flags),
  )
}
