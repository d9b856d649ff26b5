// Defines `entire explain`, which shows the checkpoints of this branch, or one checkpoint, step or commit.

import { buildCommand } from '@stricli/core'
import { readCurrentBranch } from '../../git/branches.ts'
import { openObjectReader } from '../../git/cat-file.ts'
import { messageWithHint } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { countOf } from '../../std/plural.ts'
import { prefetch } from '../../std/prefetch.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { fetchingFor } from '../fetching.ts'
import { openPages } from '../pager.ts'
import { reportIfDisabled } from '../preconditions.ts'
import { clean } from '../render/text.ts'
import type { BranchView } from './branch-points.ts'
import { checkFlags, type ExplainFlags, type ExplainRun } from './flags.ts'

export const explainCommand = buildCommand<ExplainFlags, [string?], Cli>({
  async func(flags, named) {
    checkFlags(flags, named)
    const repo = requireRepo(this, 'explain')
    if (reportIfDisabled(this, repo)) return
    await using objects = openObjectReader(repo)
    const run: ExplainRun = { cli: this, repo, objects, flags, fetching: fetchingFor(this, repo, objects) }
    if (flags.checkpoint === undefined && flags.commit === undefined && named === undefined)
      return await explainBranch(run)
    const { explainTarget } = await import('./target.ts')
    await explainTarget(run, named)
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          placeholder: 'id',
          brief: 'A checkpoint, step or commit, by its id or a prefix of it',
          parse: String,
          optional: true,
        },
      ],
    },
    flags: {
      session: valueFlag('id', 'List only sessions whose id has this prefix'),
      commit: valueFlag('ref', 'Show the checkpoints of a commit'),
      checkpoint: valueFlag('id', 'Show one checkpoint, by its id or a prefix of it'),
      short: switchFlag('Without files and transcript'),
      full: switchFlag('With the transcript of the whole session'),
      rawTranscript: switchFlag('Print the stored transcript unchanged'),
      generate: switchFlag('Let an agent write a summary, and store it in the checkpoint'),
      force: switchFlag('With --generate: replace an existing summary'),
      searchAll: switchFlag('Search all commits, and for a checkpoint all branches'),
      json: switchFlag('Print JSON'),
      noPager: switchFlag('Do not start a pager'),
    },
    aliases: { c: 'checkpoint', s: 'short', f: 'force' },
  },
  docs: {
    brief: 'Show the checkpoints of this branch, or one of them',
    fullDescription: formatManual({
      text: [
        'Without an id: shows the checkpoints of the current branch and uncommitted steps, newest first.',
        'With an id, --checkpoint or --commit: shows session, tokens, commits, summary, files and conversation of that checkpoint.',
        'Summaries are written by the agent of the session or another installed one; the setting `summary_generation` selects it.',
      ],
      examples: [
        ['entire explain', 'this branch'],
        ['entire explain --commit HEAD', 'the checkpoint of the last commit'],
        ['entire explain a3b2c4', 'a checkpoint, by a prefix of its id'],
        ['entire explain a3b2c4 --short', 'without the conversation'],
        ['entire explain a3b2c4 --generate', 'write and store a summary'],
        ['entire explain a3b2c4 --raw-transcript > session.jsonl', 'the stored conversation'],
      ],
    }),
  },
})

async function explainBranch(run: ExplainRun): Promise<void> {
  const { unreadable, unfetched } = await (run.flags.json ? printJson : printList)(run)
  const [why] = unfetched.values()
  if (why !== undefined)
    run.cli.note(`Not shown: ${countOf(unfetched.size, 'checkpoint')}. ${messageWithHint(why)}`)
  if (unreadable.length > 0)
    run.cli.note(
      `Not shown: ${countOf(unreadable.length, 'checkpoint')} that commits name but that cannot be read here (${unreadable.slice(0, 3).join(', ')}${unreadable.length > 3 ? ', …' : ''}). \`entire doctor\` shows details.`,
    )
}

async function printJson(run: ExplainRun): Promise<BranchView> {
  const [{ listJson }, { formatJson }] = await Promise.all([
    import('./branch-list.ts'),
    import('../../std/json.ts'),
  ])
  const view = await readView(run)
  run.cli.process.stdout.write(formatJson(listJson(view)))
  return view
}

async function printList(run: ExplainRun): Promise<BranchView> {
  const { cli, repo, flags } = run
  const branch = await readCurrentBranch(repo)
  await using pages = openPages(cli, {
    off: flags.noPager === true,
    title: `Branch: ${clean(branch ?? '(detached)')}\n`,
  })
  const reading = prefetch(readView(run))
  const [{ learnTimeZone }, { listLines }, { lookOf }] = await Promise.all([
    import('../render/numbers.ts'),
    import('./branch-list.ts'),
    import('./conversation.ts'),
  ])
  learnTimeZone()
  const view = await reading
  pages.write(`${listLines(view, lookOf(cli)).join('\n')}\n`)
  await pages.finish()
  return view
}

async function readView({ repo, objects, flags, fetching }: ExplainRun): Promise<BranchView> {
  const { readBranchPoints } = await import('./branch-points.ts')
  const options = { ...given({ session: flags.session }), everything: flags.searchAll === true }
  const view = await readBranchPoints(repo, objects, options)
  if (view.unreadable.length === 0) return view
  const { missing } = await fetching.checkpoints(view.unreadable)
  return missing.length === view.unreadable.length ? view : await readBranchPoints(repo, objects, options)
}
