// Defines `entire undo`, which takes back the last turn, and `entire redo`, which brings it again.

import { realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { type ObjectReader, openObjectReader } from '../../git/cat-file.ts'
import { readLog } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import { isActive } from '../../model/session.ts'
import type { RewindPoint } from '../../rewind/points.ts'
import { rangeOfStep } from '../../rewind/turn-range.ts'
import { EntireError, notFound } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { settingsFor } from '../preconditions.ts'
import { clean } from '../render/text.ts'
import { planOptions } from '../rewind/rewind-run.ts'

interface UndoFlags {
  everything?: boolean
  dryRun?: boolean
  json?: boolean
}

export const undoCommand = buildCommand<UndoFlags, string[], Cli>({
  async func(flags, ...files) {
    const repo = requireRepo(this, 'undo')
    const named = files.length === 0 ? undefined : files.map((file) => pathInRepo(this, repo, file))
    const point = await findStart(this, repo, named)
    const [{ systemRecorder }, { goToStep }] = await Promise.all([
      import('../recorder.ts'),
      import('../rewind/to-point.ts'),
    ])
    const recorder = systemRecorder(repo, { component: 'rewind' })
    const options = {
      ...planOptions(this, repo, flags),
      ...given({ paths: named }),
      broughtBackBy: 'entire redo',
    }
    await goToStep({ cli: this, recorder, point, options })
  },
  parameters: {
    positional: {
      kind: 'array',
      parameter: {
        placeholder: 'file',
        brief: 'Only these files, or files below these directories',
        parse: String,
      },
    },
    flags: {
      everything: switchFlag('Also take back what you changed yourself since then'),
      dryRun: switchFlag('Show what would happen, without changing anything'),
      json: switchFlag('Print the plan or the result as JSON'),
    },
    aliases: { d: 'dryRun' },
  },
  docs: {
    brief: 'Take back the last turn, or some files of it',
    fullDescription: formatManual({
      text: [
        'Puts the files back as they were before the last turn, and with them the conversation. What you changed yourself stays, as',
        'with `entire rewind`. Run it again to take back the turn before. `entire redo` brings the turn again.',
      ],
      examples: [
        ['entire undo --dry-run', 'what would change'],
        ['entire undo', 'take back the last turn'],
        ['entire undo src/login.ts', 'only this file'],
      ],
    }),
  },
})

export const redoCommand = buildCommand<Omit<UndoFlags, 'everything'>, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'redo')
    const [{ systemRecorder }, { runUndo }] = await Promise.all([
      import('../recorder.ts'),
      import('../rewind/undo.ts'),
    ])
    const recorder = systemRecorder(repo, { component: 'rewind' })
    await runUndo(this, recorder, 'undo', { ...planOptions(this, repo, flags), asRedo: true })
  },
  parameters: {
    flags: {
      dryRun: switchFlag('Show what would happen, without changing anything'),
      json: switchFlag('Print the plan or the result as JSON'),
    },
    aliases: { d: 'dryRun' },
  },
  docs: {
    brief: 'Bring back what the last undo or rewind took away',
    fullDescription: formatManual({
      text: [
        'Reverses the last `entire undo` or rewind: the files, the steps and the conversation come back as they were. Run it again for the one before.',
      ],
      examples: [
        ['entire redo --dry-run', 'what would change'],
        ['entire redo', 'bring the turn again'],
      ],
    }),
  },
})

/** The state before the last turn: the step before it, or the commit that the session began at. */
async function findStart(cli: Cli, repo: Repo, paths: string[] = []): Promise<RewindPoint> {
  await using objects = openObjectReader(repo)
  const { isTurn, readPoints } = await import('../rewind/points.ts')
  const points = await readPoints(repo, objects, settingsFor(cli, repo).strategy)
  const last = points.find(isTurn)
  const step = last && (await readLog(repo, ['-1', last.id]))[0]
  if (step === undefined) throw await noTurn(repo)
  const { before } = await rangeOfStep(repo, step)
  for (const path of paths)
    if (!(await isKnown(repo, objects, [before, step.oid, 'HEAD'], path)))
      throw notFound('file', clean(path), 'Neither the work tree nor the last turn has it.')
  const known = points.find(({ id }) => id === before)
  if (known !== undefined) return known
  const commit = (await objects.info(`${before}^{commit}`))?.oid ?? before
  return { id: commit, message: '', date: step.authoredAt, metadataDir: '', isTask: false, isLogsOnly: false }
}

async function noTurn(repo: Repo): Promise<EntireError> {
  const { sessionsHere } = await import('../../rewind/sessions.ts')
  const running = sessionsHere(repo, undefined).find(isActive)
  if (running !== undefined)
    return new EntireError(
      'not-found',
      'The turn is still running. It can be taken back once it has ended.',
      {
        hint: `Wait for ${running.agentType}, or interrupt it. If it is gone, \`entire session stop ${running.id}\` ends the turn.`,
      },
    )
  return new EntireError('not-found', 'There is no turn to take back since the last commit.', {
    hint: 'A commit is taken back with `entire rewind --to <commit> --reset`, or with git.',
  })
}

async function isKnown(repo: Repo, objects: ObjectReader, states: string[], path: string): Promise<boolean> {
  if (path === '' || exists(join(repo.root, path))) return true
  const found = await Promise.all(states.map((state) => objects.info(`${state}:${path}`)))
  return found.some((object) => object !== undefined)
}

/** Empty for the top of the work tree. */
function pathInRepo(cli: Cli, repo: Repo, file: string): string {
  const path = relative(repo.root, resolve(realpathSync(cli.cwd), file))
  if (path !== '..' && !path.startsWith('../')) return path
  throw new EntireError('bad-usage', `${clean(file)} is outside of the work tree.`, {
    hint: 'Name files of this repository.',
  })
}
