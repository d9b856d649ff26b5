// Defines a finding of `entire doctor`, with its remedies, and what one run of the checks works with.

import { type Inventory, readInventory } from '../../cleanup/inventory.ts'
import { type ObjectReader, openObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { Recorder } from '../../sessions/event-work.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { systemRecorder } from '../recorder.ts'

/** `info` requires no action. */
export type Severity = 'error' | 'warning' | 'info'

export interface Remedy {
  /** Shown as a choice: one word, or a short sentence without its question mark. */
  label: string
  /** Returns lines that describe what was done. */
  apply(): Promise<string[]>
}

export interface Finding {
  /** The kind of finding; the same in every version, for scripts. */
  id: string
  /** Tells findings of the same kind apart. */
  subject?: string
  severity: Severity
  title: string
  detail: string[]
  /** How to fix it: a sentence or a command. */
  fix: string
  /** `--force` applies the first one. */
  remedies: Remedy[]
}

/** Findings that make the exit code 1. */
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

export interface DoctorRun extends AsyncDisposable {
  cli: Cli
  repo: Repo
  recorder: Recorder
  objects: ObjectReader
  now: Date
  /** Read once, by the first check that needs them. */
  inventory(): Promise<Inventory>
}

/** Works when parts of the repository do not. */
export function openDoctorRun(cli: Cli, repo: Repo): DoctorRun {
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
