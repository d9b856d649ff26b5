// `entire clean --undo`: what clean, reset or doctor removed last comes back.
import { relative } from 'node:path'
import { branchOf } from '../../checkpoints/layout.ts'
import type { Repo } from '../../git/repo.ts'
import { restoreLast } from '../../session/trash-restore.ts'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { createRecorder } from '../recorder.ts'
import { clean } from '../render/text.ts'

export async function undoClean(cli: Cli, repo: Repo, json: boolean): Promise<void> {
  const { by, restored, inTheWay } = await restoreLast(createRecorder(repo, { component: 'clean' }))
  const name = (thing: string) => (thing.startsWith('refs/') ? branchOf(thing) : relative(repo.root, thing))
  if (json) {
    cli.process.stdout.write(formatJson({ removed_by: by, restored: restored.map(name), in_the_way: inTheWay.map(name) }))
    return
  }
  cli.out(`Brought back what \`entire ${clean(by)}\` removed:`)
  for (const thing of restored) cli.out(`  ${clean(name(thing))}`)
  for (const thing of inTheWay) cli.note(`  ${clean(name(thing))} stays as it is now; its older version is still kept.`)
}
