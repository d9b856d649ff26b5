// Defines `entire undo`, which takes back the last turn, and `entire redo`, which brings it again.

import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { openObjectReader } from '../../git/cat-file.ts'
import { readLog } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import type { RewindPoint } from '../../rewind/points.ts'
import { rangeOfStep } from '../../rewind/turn-range.ts'
import { readSettings } from '../../settings/read.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
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
    const point = await findStart(repo)
    const paths = files.length === 0 ? undefined : files.map((file) => pathInRepo(this, repo, file))
    const [{ systemRecorder }, { goToStep }] = await Promise.all([
      import('../recorder.ts'),
      import('../rewind/to-point.ts'),
    ])
    const recorder = systemRecorder(repo, { component: 'rewind' })
    const options = {
      ...planOptions(this, repo, flags),
      ...given({ paths }),
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
async function findStart(repo: Repo): Promise<RewindPoint> {
  await using objects = openObjectReader(repo)
  const { isTurn, readPoints } = await import('../rewind/points.ts')
  const points = await readPoints(repo, objects, readSettings(repo.root).strategy)
  const last = points.find(isTurn)
  const step = last && (await readLog(repo, ['-1', last.id]))[0]
  if (step === undefined)
    throw new EntireError('not-found', 'There is no turn to take back since the last commit.', {
      hint: 'A commit is taken back with `entire rewind --to <commit> --reset`, or with git.',
    })
  const { before } = await rangeOfStep(repo, step)
  const known = points.find(({ id }) => id === before)
  if (known !== undefined) return known
  const commit = (await objects.info(`${before}^{commit}`))?.oid ?? before
  return { id: commit, message: '', date: step.authoredAt, metadataDir: '', isTask: false, isLogsOnly: false }
}

function pathInRepo(cli: Cli, repo: Repo, file: string): string {
  const path = relative(repo.root, resolve(realpathSync(cli.cwd), file))
  if (path !== '' && path !== '..' && !path.startsWith('../')) return path
  throw new EntireError('bad-usage', `${clean(file)} is outside of the work tree.`, {
    hint: 'Name files of this repository.',
  })
}
