// Defines `entire diff`, which shows what a turn did.

import { buildCommand } from '@stricli/core'
import { type ObjectReader, openObjectReader } from '../../git/cat-file.ts'
import { git } from '../../git/exec.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import { rangeOfCommit, rangeOfStep, type TurnRange } from '../../rewind/turn-range.ts'
import { cannotCombine, EntireError } from '../../std/errors.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { runAttached } from '../../std/process.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { fetchingFor } from '../fetching.ts'
import { settingsFor } from '../preconditions.ts'

interface DiffFlags {
  stat?: boolean
  nameOnly?: boolean
  noPager?: boolean
  json?: boolean
}

export const diffCommand = buildCommand<DiffFlags, [string?], Cli>({
  async func(flags, named) {
    const repo = requireRepo(this, 'diff')
    const shapes = [
      ...(flags.stat ? ['--stat'] : []),
      ...(flags.nameOnly ? ['--name-only'] : []),
      ...(flags.json ? ['--json'] : []),
    ]
    if (shapes.length > 1) throw cannotCombine(shapes)
    const range = await findRange(this, repo, named)
    if (flags.json) return void this.process.stdout.write(formatJson(await describe(repo, range)))
    const options = [...(flags.stat ? ['--stat'] : []), ...(flags.nameOnly ? ['--name-only'] : [])]
    // Git chooses colours and the pager, as in `git diff`.
    const code = await runAttached(
      ['git', ...(flags.noPager ? ['--no-pager'] : []), 'diff', ...options, ...rangeArguments(range)],
      { cwd: repo.root, env: repo.env },
    )
    if (code !== 0) this.process.exitCode = code
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          placeholder: 'id',
          brief: 'A step, a checkpoint or a commit, by its id or a prefix of it; by default the last turn',
          parse: String,
          optional: true,
        },
      ],
    },
    flags: {
      stat: switchFlag('Show only how many lines changed in each file'),
      nameOnly: switchFlag('Show only the names of the files'),
      noPager: switchFlag('Do not start a pager'),
      json: switchFlag('Print the files and their lines as JSON'),
    },
  },
  docs: {
    brief: 'Show what a turn changed',
    fullDescription: formatManual({
      text: [
        'Compares the step of a turn with the one before it. For a checkpoint or a commit, shows what the commit changed in the',
        'files of the agent. Git prints the difference: your colours, your pager and your settings of `git diff` apply.',
      ],
      examples: [
        ['entire diff', 'what the last turn did'],
        ['entire diff --stat', 'in numbers'],
        ['entire diff 3fa9c21', 'a step from `entire rewind --list`'],
        ['entire diff HEAD', 'what the agent did for the last commit'],
      ],
    }),
  },
})

async function findRange(cli: Cli, repo: Repo, named: string | undefined): Promise<TurnRange> {
  await using objects = openObjectReader(repo)
  const name = named ?? (await findLastTurn(cli, repo, objects))
  const { findAnything, readOrFetch } = await import('../explain/find-target.ts')
  const search = { repo, objects, fetching: fetchingFor(cli, repo, objects) }
  const target = await findAnything(search, name)
  if (target.kind === 'step') return await rangeOfStep(repo, target.step)
  if (target.kind === 'checkpoint') {
    const { checkpoint: id, files } = target.checkpoint
    const commit = await findCommitOf(repo, objects, id)
    if (commit !== undefined) return rangeOfCommit(commit, files)
    throw new EntireError('not-found', `No commit here belongs to checkpoint ${id}.`, {
      hint: '`git fetch` may bring the branch that has it.',
    })
  }
  const { stored } = await readOrFetch(search, target.ids)
  const files = stored.flatMap((checkpoint) => checkpoint.files)
  if (files.length > 0) return rangeOfCommit(target.commit, [...new Set(files)])
  throw new EntireError('not-found', `Commit ${target.commit.oid.slice(0, 7)} has no checkpoint.`, {
    hint: '`git show` shows what it changed.',
  })
}

/** The newest commit with the checkpoint's trailer, else the one with its note. */
async function findCommitOf(repo: Repo, objects: ObjectReader, id: string): Promise<LogEntry | undefined> {
  const trailer = ['--fixed-strings', `--grep=Entire-Checkpoint: ${id}`]
  const byTrailer = (await readLog(repo, ['-1', '--branches', '--remotes', '--tags', ...trailer]))[0]
  if (byTrailer !== undefined) return byTrailer
  const { readNotes } = await import('../../checkpoints/links.ts')
  const noted = [...(await readNotes(objects))].find(([, ids]) => ids.includes(id))?.[0]
  return noted === undefined ? undefined : (await readLog(repo, ['-1', noted]))[0]
}

/** The newest step, else the newest commit that has a checkpoint. */
async function findLastTurn(cli: Cli, repo: Repo, objects: ObjectReader): Promise<string> {
  const { isTurn, readPoints } = await import('../rewind/points.ts')
  const points = await readPoints(repo, objects, settingsFor(cli, repo).strategy)
  const last = points.find(isTurn) ?? points.find(({ isBeforeTurn }) => isBeforeTurn !== true)
  if (last !== undefined) return last.id
  throw new EntireError('not-found', 'No turn has been recorded here yet.', {
    hint: '`entire status` shows what is being recorded.',
  })
}

// Names of files are taken literally, and nothing of the program is shown.
function rangeArguments({ before, after, paths }: TurnRange): string[] {
  const own = [':(top)', ':(top,exclude).entire']
  const chosen = paths?.map((path) => `:(top,literal)${path}`) ?? own
  return [before, after, '--', ...chosen]
}

const statuses: Record<string, string> = { A: 'added', D: 'deleted', M: 'modified', T: 'changed type' }

async function describe(repo: Repo, range: TurnRange): Promise<JsonObject> {
  const options = ['diff', '--no-ext-diff', '--no-renames', '-z']
  const [names, lines] = await Promise.all(
    ['--name-status', '--numstat'].map((shape) => git(repo, [...options, shape, ...rangeArguments(range)])),
  )
  const fields = (names?.stdout.toString('utf8') ?? '').split('\0')
  const counts = new Map(
    (lines?.stdout.toString('utf8') ?? '').split('\0').map((line) => {
      const [added = '', removed = '', path = ''] = line.split('\t')
      return [path, { added: Number(added), removed: Number(removed), isBinary: added === '-' }]
    }),
  )
  const files = fields.flatMap((status, index) => {
    const path = fields[index + 1]
    if (index % 2 === 1 || path === undefined) return []
    const { added = 0, removed = 0, isBinary = false } = counts.get(path) ?? {}
    const size = isBinary ? { binary: true } : { added, removed }
    return [{ path, status: statuses[status] ?? status, ...size }]
  })
  return { before: range.before, after: range.after, files }
}
