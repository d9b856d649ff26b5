// `entire explain`: what happened on this branch, or behind one checkpoint or commit.
import { buildCommand } from '@stricli/core'
import { readTranscript } from '../../checkpoints/read.ts'
import { type ObjectReader, readObjects } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { type Cli, requireRepo } from '../context.ts'
import { saysDisabled } from '../disabled.ts'
import { readBranchPoints } from '../explain/branch-points.ts'
import { detailJson, detailLines } from '../explain/detail-view.ts'
import { findByPrefix, findCommit, readDetail } from '../explain/find-target.ts'
import { listJson, listLines } from '../explain/list-view.ts'
import { said, value } from '../flags.ts'
import { formatManual } from '../manual.ts'

interface ExplainFlags {
  checkpoint?: string
  commit?: string
  rawTranscript?: boolean
  json?: boolean
  noPager?: boolean
}

export const explainCommand = buildCommand<ExplainFlags, [], Cli>({
  async func(flags) {
    checkFlags(flags)
    const repo = requireRepo(this, 'explain')
    if (saysDisabled(this, repo)) return
    await using objects = readObjects(repo)
    if (flags.checkpoint !== undefined) await explainCheckpoints(this, repo, objects, [flags.checkpoint], flags)
    else if (flags.commit !== undefined) await explainCommit(this, repo, objects, flags.commit, flags)
    else {
      const view = await readBranchPoints(repo, objects)
      print(this, flags.json ? formatJson(listJson(view)) : listLines(view))
    }
  },
  parameters: {
    flags: {
      checkpoint: value('id', 'Show one checkpoint, by its id or the beginning of it'),
      commit: value('ref', 'Show the checkpoints of a commit'),
      rawTranscript: said('Print the stored transcript as it is (with --checkpoint)'),
      json: said('Print JSON'),
      noPager: said('Accepted for scripts; no pager is ever started'),
    },
    aliases: { c: 'checkpoint' },
  },
  docs: {
    brief: 'Show the checkpoints of this branch, or what is behind one',
    fullDescription: formatManual({
      text: [
        'Without flags: the checkpoints of the current branch and the steps that are not committed yet, newest first.',
        'With --checkpoint or --commit: session, prompts, tokens, commits and files of that checkpoint.',
      ],
      examples: [
        ['entire explain', 'this branch'],
        ['entire explain --commit HEAD', 'what is behind the last commit'],
        ['entire explain -c a3b2c4', 'a checkpoint, by the beginning of its id'],
        ['entire explain -c a3b2c4 --raw-transcript > session.jsonl', 'the conversation'],
      ],
    }),
  },
})

function checkFlags(flags: ExplainFlags): void {
  if (flags.checkpoint !== undefined && flags.commit !== undefined)
    throw new EntireError('bad-usage', 'cannot specify multiple of --commit, --checkpoint')
  if (flags.rawTranscript && flags.checkpoint === undefined)
    throw new EntireError('bad-usage', '--raw-transcript requires --checkpoint/-c flag')
}

async function explainCheckpoints(cli: Cli, repo: Repo, objects: ObjectReader, ids: string[], flags: ExplainFlags): Promise<void> {
  const checkpoints = await Promise.all(ids.map((id) => findByPrefix(repo, objects, id)))
  if (flags.rawTranscript) {
    const session = checkpoints[0]?.sessions.at(-1)
    const transcript = session && (await readTranscript(objects, session))
    if (transcript === undefined) throw new EntireError('transcript-missing', `Checkpoint ${ids[0]} has no transcript.`)
    // Bytes, not text: what was stored is what is printed.
    await Bun.write(Bun.stdout, transcript)
    return
  }
  const details = await Promise.all(checkpoints.map((checkpoint) => readDetail(repo, objects, checkpoint)))
  // A commit may have several checkpoints, so its answer is a list.
  if (flags.json) print(cli, formatJson(flags.commit === undefined ? details.map(detailJson)[0] : details.map(detailJson)))
  else
    print(
      cli,
      details.flatMap((detail, index) => [...(index > 0 ? [''] : []), ...detailLines(detail)]),
    )
}

async function explainCommit(cli: Cli, repo: Repo, objects: ObjectReader, name: string, flags: ExplainFlags): Promise<void> {
  const { commit, ids } = await findCommit(repo, objects, name)
  if (ids.length > 0) return explainCheckpoints(cli, repo, objects, ids, flags)
  if (flags.json) return print(cli, formatJson([]))
  print(cli, [
    'No associated Entire checkpoint',
    '',
    `Commit ${commit.oid.slice(0, 7)} does not have an Entire-Checkpoint trailer.`,
    'This commit was not created during an Entire session, or the trailer was removed.',
  ])
}

function print(cli: Cli, content: string | string[]): void {
  cli.process.stdout.write(typeof content === 'string' ? content : `${content.join('\n')}\n`)
}
