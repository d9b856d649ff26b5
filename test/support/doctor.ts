// Runs `entire doctor --json`, for tests that check its findings.
import type { RecordedRepo } from './recorded-repo.ts'

export interface DoctorFinding {
  id: string
  subject?: string
  severity: string
  title: string
  detail: string
  fix: string
  fixable: boolean
}

export interface DoctorReport {
  code: number
  ok: boolean
  findings: DoctorFinding[]
  fixed: (DoctorFinding & { done: string })[]
}

export async function doctor(
  repo: RecordedRepo,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<DoctorReport> {
  const { code, out, err } = await repo.entire(['doctor', '--json', ...args], { env })
  if (out === '') throw new Error(`doctor said nothing: ${err}`)
  return { code, ...JSON.parse(out) }
}
