// `entire explain`: what happened on this branch, or behind one checkpoint or commit.
import { buildCommand } from '@stricli/core'
import { openObjectReader } from '../../git/cat-file.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled } from '../preconditions.ts'
import { explainBranch } from './branch.ts'
import { checkFlags, type ExplainFlags } from './flags.ts'

export const explainCommand = buildCommand<ExplainFlags, [string?], Cli>({
  async func(flags, named) {
    checkFlags(flags, named)
    const repo = requireRepo(this, 'explain')
    if (reportIfDisabled(this, repo)) return
    await using objects = openObjectReader(repo)
    if (flags.checkpoint === undefined && flags.commit === undefined && named === undefined)
      return await explainBranch(this, repo, objects, flags)
    const { explainTarget } = await import('./target.ts')
    await explainTarget(this, repo, objects, flags, named)
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          placeholder: 'id',
          brief: 'A checkpoint or a commit, by its id or the beginning of it',
          parse: String,
          optional: true,
        },
      ],
    },
    flags: {
      session: valueFlag('id', 'Only list sessions whose id starts with this'),
      commit: valueFlag('ref', 'Show the checkpoints of a commit'),
      checkpoint: valueFlag('id', 'Show one checkpoint, by its id or the beginning of it'),
      short: switchFlag('Without files and transcript'),
      full: switchFlag('With the transcript of the whole session'),
      rawTranscript: switchFlag('Print the stored transcript as it is'),
      generate: switchFlag('Let an agent write a summary, and keep it in the checkpoint'),
      force: switchFlag('Replace the summary that is there (with --generate)'),
      searchAll: switchFlag('Without limits: all commits, of a checkpoint also those of other branches'),
      json: switchFlag('Print JSON'),
      noPager: switchFlag('Do not start a pager'),
    },
    aliases: { c: 'checkpoint', s: 'short', f: 'force' },
  },
  docs: {
    brief: 'Show the checkpoints of this branch, or what is behind one',
    fullDescription: formatManual({
      text: [
        'Without an id: the checkpoints of the current branch and the steps that are not committed yet, newest first.',
        'With an id, --checkpoint or --commit: session, tokens, commits, summary, files and conversation of that checkpoint.',
        'Summaries are written by the agent of the session or another one that is installed; `summary_generation` in the settings chooses.',
      ],
      examples: [
        ['entire explain', 'this branch'],
        ['entire explain --commit HEAD', 'what is behind the last commit'],
        ['entire explain a3b2c4', 'a checkpoint, by the beginning of its id'],
        ['entire explain a3b2c4 --short', 'without the conversation'],
        ['entire explain a3b2c4 --generate', 'write a summary and keep it'],
        ['entire explain a3b2c4 --raw-transcript > session.jsonl', 'the conversation as it was stored'],
      ],
    }),
  },
})
