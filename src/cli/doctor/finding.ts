// One thing that is wrong: what, how badly, what to do about it, and what can be done about it right here.
import type { JsonObject } from '../../std/json.ts'

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
    ...(finding.subject === undefined ? {} : { subject: finding.subject }),
    severity: finding.severity,
    title: finding.title,
    detail: finding.detail.join('\n'),
    fix: finding.fix,
    fixable: finding.remedies.length > 0,
  }
}
