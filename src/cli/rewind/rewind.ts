// `entire rewind`: the points of the past, the way back to one of them, and the way forth again.

import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import { readSettings } from '../../settings/read.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled } from '../preconditions.ts'
import type { RewindCommandOptions } from './to-step.ts'

interface RewindFlags {
  list?: boolean
  to?: string
  logsOnly?: boolean
  reset?: boolean
  force?: boolean
  undo?: boolean
  redo?: boolean
  dryRun?: boolean
  json?: boolean
}

export const rewindCommand = buildCommand<RewindFlags, [], Cli>({
  async func(flags) {
    checkFlags(this, flags)
    const repo = requireRepo(this, 'rewind')
    // What was taken back by mistake must come back, whatever else is switched off.
    if (flags.undo || flags.redo) return goBack(this, repo, flags)
    if (reportIfDisabled(this, repo)) return
    // Whatever is found, it is a list: a person sees it begin at once. A program gets all of it or an error.
    const begun = flags.list && this.isTerminal ? '[' : ''
    this.process.stdout.write(begun)
    const [{ openObjectReader }, { findPoint, formatPoint, readPoints }] = await Promise.all([
      import('../../git/cat-file.ts'),
      import('./points.ts'),
    ])
    await using objects = openObjectReader(repo)
    const points = await readPoints(repo, objects, readSettings(repo.root).strategy)
    if (flags.list)
      return void this.process.stdout.write(formatJson(points.map(formatPoint)).slice(begun.length))
    if (points.length === 0 && (await objects.info('HEAD')) === undefined)
      throw new EntireError('no-commits', 'This repository has no commits yet.', {
        hint: 'The first turn after the first commit makes the first point to go back to.',
      })
    const [{ systemRecorder }, options] = [await import('../recorder.ts'), goOptions(this, repo, flags)]
    const recorder = systemRecorder(repo, { component: 'rewind' })
    if (flags.to === undefined) {
      const { pickPoint } = await import('./pick-point.ts')
      // Awaited here: the reader of objects is closed when this function returns.
      return await pickPoint(this, recorder, objects, points, options)
    }
    const { goToPoint } = await import('./to-commit.ts')
    const how = flags.reset ? 'reset' : flags.logsOnly ? 'logs' : 'all'
    await goToPoint({ cli: this, recorder, objects, point: findPoint(points, flags.to), options }, how)
  },
  parameters: {
    flags: {
      list: switchFlag('Print the points as JSON, newest first'),
      to: valueFlag('id', 'Go back to the point with this id (7 or more of its digits)'),
      logsOnly: switchFlag('With --to: restore the session logs, and leave the files alone'),
      reset: switchFlag('With --to a commit: also move the branch there, and its files and the index'),
      force: switchFlag('With --reset: do it without a question'),
      undo: switchFlag('Return to what the last rewind or reset replaced'),
      redo: switchFlag('Take the last undo back'),
      dryRun: switchFlag('Say what would happen, and change nothing'),
      json: switchFlag('Print what was planned or done as JSON'),
    },
    aliases: { f: 'force', d: 'dryRun' },
  },
  docs: {
    brief: 'Go back to an earlier point of a session, and undo that',
    fullDescription: formatManual({
      text: [
        'Points are the steps recorded since the last commit, and commits whose session logs are stored. At most 20 are shown.',
        'Without a flag, pick one from a menu.',
        'Going back to a step changes only files that differ from it, and gives the agent its conversation as it was then. Files you',
        'created, ignored files and files that were there before the session are never deleted; index and branch are not touched.',
        'Of a commit only the session logs are restored; --reset moves the branch as well, after a question.',
        'What is replaced is kept first, for 30 days: --undo brings it back, one rewind at a time, and --redo takes an undo back.',
        'This goes for --reset too: files, index and branch come back.',
      ],
      examples: [
        ['entire rewind', 'pick a point'],
        ['entire rewind --list', 'all points, for scripts'],
        ['entire rewind --to 3fa9c21 --dry-run', 'what would change'],
        ['entire rewind --to 3fa9c21', 'go back'],
        ['entire rewind --undo', 'and forth again'],
        ['entire rewind --to 9fceb02 --reset', 'move the branch to a commit'],
      ],
    }),
  },
})

function checkFlags(cli: Cli, flags: RewindFlags): void {
  const usage = (message: string, hint = '`entire rewind --list` shows the points.') =>
    new EntireError('bad-usage', message, { hint })
  const chosen = [flags.list, flags.to !== undefined, flags.undo, flags.redo].filter(Boolean).length
  if (chosen > 1) throw usage('Say one of --list, --to <id>, --undo and --redo.')
  if (flags.to === undefined && (flags.reset || flags.logsOnly))
    throw usage('--reset and --logs-only need --to <id>.')
  if (flags.reset && flags.logsOnly)
    throw usage(
      '--reset and --logs-only cannot be used together.',
      'One moves the branch, the other leaves it.',
    )
  if (flags.force && !flags.reset) throw usage('--force needs --reset.', 'Nothing else asks a question.')
  if (chosen === 0 && (flags.json || flags.dryRun || !cli.interactive))
    throw usage('Say where to go: one of --list, --to <id>, --undo and --redo.')
}

async function goBack(cli: Cli, repo: Repo, flags: RewindFlags): Promise<void> {
  const [{ systemRecorder }, back] = await Promise.all([import('../recorder.ts'), import('./undo.ts')])
  await back.runUndo(
    cli,
    systemRecorder(repo, { component: 'rewind' }),
    flags.redo ? 'redo' : 'undo',
    goOptions(cli, repo, flags),
  )
}

function goOptions(cli: Cli, repo: Repo, flags: RewindFlags): RewindCommandOptions {
  return {
    dryRun: flags.dryRun === true,
    json: flags.json === true,
    force: flags.force === true,
    cwdInRepo: relative(repo.root, realpathSync(cli.cwd)) || undefined,
  }
}
