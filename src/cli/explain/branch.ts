// The answer about a whole branch.
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { page } from '../pager.ts'
import { learnTimeZone } from '../render/time.ts'
import { readBranchPoints } from './branch-points.ts'
import type { ExplainFlags } from './flags.ts'
import { listJson, listLines } from './list-view.ts'
import { lookOf } from './look.ts'

export async function explainBranch(cli: Cli, repo: Repo, objects: ObjectReader, flags: ExplainFlags): Promise<void> {
  const reading = readBranchPoints(repo, objects, {
    ...(flags.session === undefined ? {} : { session: flags.session }),
    everything: flags.searchAll === true,
  })
  learnTimeZone()
  const view = await reading
  if (flags.json) cli.process.stdout.write(formatJson(listJson(view)))
  else await page(cli, `${listLines(view, lookOf(cli)).join('\n')}\n`, { off: flags.noPager === true })
  const lost = view.unreadable
  if (lost.length > 0)
    cli.note(
      `Not shown: ${lost.length} ${lost.length === 1 ? 'checkpoint' : 'checkpoints'} that commits name and that cannot be read here (${lost.slice(0, 3).join(', ')}${lost.length > 3 ? ', …' : ''}). \`entire doctor\` tells more.`,
    )
}
