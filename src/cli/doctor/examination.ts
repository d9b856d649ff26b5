// What all checks look at. Made so that it works when parts of the repository do not.

import { type Inventory, readInventory } from '../../cleanup/inventory.ts'
import { type ObjectReader, openObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { Recorder } from '../../sessions/work.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { systemRecorder } from '../recorder.ts'

export interface Examination extends AsyncDisposable {
  cli: Cli
  repo: Repo
  recorder: Recorder
  objects: ObjectReader
  now: Date
  /** Asked once. */
  inventory(): Promise<Inventory>
}

export function examine(cli: Cli, repo: Repo): Examination {
  const objects = openObjectReader(repo)
  let inventory: Promise<Inventory> | undefined
  return {
    cli,
    repo,
    recorder: { ...systemRecorder(repo, { component: 'doctor' }), clock: cli.clock },
    objects,
    now: cli.clock(),
    inventory: () => {
      inventory ??= readInventory(repo)
      return inventory
    },
    [Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
  }
}

// One thing that is wrong: what, how badly, what to do about it, and what can be done about it right here.

/** `info`: nothing has to be done. */
export type Severity = 'error' | 'warning' | 'info'

export interface Remedy {
  /** As a choice: one word, or a short sentence without its question mark. */
  label: string
  /** Gives what was done, in lines. */
  apply(): Promise<string[]>
}

export interface Finding {
  /** The kind, the same in every version. */
  id: string
  /** Which one, where there can be several of a kind. */
  subject?: string
  severity: Severity
  title: string
  detail: string[]
  /** A sentence or a command. */
  fix: string
  /** The first one is what `--force` takes. */
  remedies: Remedy[]
}

/** What counts for the exit code. */
export function isWrong({ severity }: Finding): boolean {
  return severity !== 'info'
}

export function findingJson(finding: Finding): JsonObject {
  return {
    id: finding.id,
    ...given({ subject: finding.subject }),
    severity: finding.severity,
    title: finding.title,
    detail: finding.detail.join('\n'),
    fix: finding.fix,
    fixable: finding.remedies.length > 0,
  }
}
