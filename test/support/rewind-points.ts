// Reads the points of `entire rewind --list`, and finds the ids a test needs.
import type { RecordedRepo } from './recorded-repo.ts'

export interface Point {
  id: string
  message: string
  metadata_dir: string
  date: string
  is_task_checkpoint: boolean
  tool_use_id?: string
  is_logs_only: boolean
  condensation_id?: string
  session_id?: string
  session_prompt?: string
}

export async function pointsOf(repo: RecordedRepo): Promise<Point[]> {
  const { code, out, err } = await repo.entire(['rewind', '--list'])
  if (code !== 0) throw new Error(`rewind --list gave ${code}: ${err}`)
  return JSON.parse(out)
}

export async function stepOf(repo: RecordedRepo, message: string): Promise<string> {
  const points = await pointsOf(repo)
  const found = points.find((point) => point.message === message)
  if (found === undefined)
    throw new Error(
      `No point is called ${message}; there are: ${points.map((point) => point.message).join(', ')}`,
    )
  return found.id
}
