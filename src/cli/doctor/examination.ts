// What all checks look at. Made so that it works when parts of the repository do not.
import { type ObjectReader, readObjects } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import { type Holdings, readHoldings } from '../../session/holdings.ts'
import type { Recorder } from '../../session/work.ts'
import type { Cli } from '../context.ts'
import { createRecorder } from '../recorder.ts'

export interface Examination extends AsyncDisposable {
  cli: Cli
  repo: Repo
  recorder: Recorder
  objects: ObjectReader
  now: Date
  /** Asked once. */
  holdings(): Promise<Holdings>
}

export function examine(cli: Cli, repo: Repo): Examination {
  const objects = readObjects(repo)
  let holdings: Promise<Holdings> | undefined
  return {
    cli,
    repo,
    recorder: { ...createRecorder(repo, { component: 'doctor' }), clock: cli.clock },
    objects,
    now: cli.clock(),
    holdings: () => {
      holdings ??= readHoldings(repo)
      return holdings
    },
    [Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
  }
}
