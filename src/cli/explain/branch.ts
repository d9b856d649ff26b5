// Explains the current branch. The first line is printed before the rest is read, or even loaded.

import { readCurrentBranch } from '../../git/branches.ts'
import { given } from '../../std/given.ts'
import { prefetch } from '../../std/prefetch.ts'
import { openPages } from '../pager.ts'
import { clean } from '../render/text.ts'
import type { BranchView } from './branch-points.ts'
import type { ExplainRun } from './explain-run.ts'

export async function explainBranch(run: ExplainRun): Promise<void> {
  const unreadable = (await (run.flags.json ? printJson : printList)(run)).unreadable
  if (unreadable.length > 0)
    run.cli.note(
      `Not shown: ${unreadable.length} unreadable ${unreadable.length === 1 ? 'checkpoint' : 'checkpoints'} (${unreadable.slice(0, 3).join(', ')}${unreadable.length > 3 ? ', …' : ''}). \`entire doctor\` shows details.`,
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

async function readView({ repo, objects, flags }: ExplainRun): Promise<BranchView> {
  const { readBranchPoints } = await import('./branch-points.ts')
  return await readBranchPoints(repo, objects, {
    ...given({ session: flags.session }),
    everything: flags.searchAll === true,
  })
}
