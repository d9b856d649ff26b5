// Defines `entire explain`, which shows the checkpoints of this branch, or one checkpoint, step or commit.

import { buildCommand } from '@stricli/core'
import { openObjectReader } from '../../git/cat-file.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled } from '../preconditions.ts'
import { explainBranch } from './branch.ts'
import type { ExplainRun } from './explain-run.ts'
import { checkFlags, type ExplainFlags } from './flags.ts'

export const explainCommand = buildCommand<ExplainFlags, [string?], Cli>({
  async func(flags, named) {
    checkFlags(flags, named)
    const repo = requireRepo(this, 'explain')
    if (reportIfDisabled(this, repo)) return
    await using objects = openObjectReader(repo)
    const run: ExplainRun = { cli: this, repo, objects, flags }
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
