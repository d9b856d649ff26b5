// Explains the current branch. The first line is printed before the rest is read, or even loaded.

import { readCurrentBranch } from '../../git/branches.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import { given } from '../../std/given.ts'
import { prefetch } from '../../std/prefetch.ts'
import type { Cli } from '../context.ts'
import { openPages } from '../pager.ts'
import { clean } from '../render/text.ts'
import type { BranchView } from './branch-points.ts'
import type { ExplainFlags } from './flags.ts'

export async function explainBranch(
  cli: Cli,
  repo: Repo,
  objects: ObjectReader,
  flags: ExplainFlags,
): Promise<void> {
  const unreadable = (await (flags.json ? printJson : printList)(cli, repo, objects, flags)).unreadable
  if (unreadable.length > 0)
    cli.note(
      `Not shown: ${unreadable.length} unreadable ${unreadable.length === 1 ? 'checkpoint' : 'checkpoints'} (${unreadable.slice(0, 3).join(', ')}${unreadable.length > 3 ? ', …' : ''}). \`entire doctor\` shows details.`,
    )
}

async function printJson(
  cli: Cli,
  repo: Repo,
  objects: ObjectReader,
  flags: ExplainFlags,
): Promise<BranchView> {
  const [{ listJson }, { formatJson }] = await Promise.all([
    import('./branch-list.ts'),
    import('../../std/json.ts'),
  ])
  const view = await readView(repo, objects, flags)
  cli.process.stdout.write(formatJson(listJson(view)))
  return view
}

async function printList(
  cli: Cli,
  repo: Repo,
  objects: ObjectReader,
  flags: ExplainFlags,
): Promise<BranchView> {
  const branch = await readCurrentBranch(repo)
  await using pages = openPages(cli, {
    off: flags.noPager === true,
    title: `Branch: ${clean(branch ?? '(detached)')}\n`,
  })
  const reading = prefetch(readView(repo, objects, flags))
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

async function readView(repo: Repo, objects: ObjectReader, flags: ExplainFlags): Promise<BranchView> {
  const { readBranchPoints } = await import('./branch-points.ts')
  return await readBranchPoints(repo, objects, {
    ...given({ session: flags.session }),
    everything: flags.searchAll === true,
  })
}
