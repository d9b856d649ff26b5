// What a subagent's step holds besides the work tree: its transcript, the main one so far, and where in it the task ended.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { stripLines } from '../checkpoints/strip-lines.ts'
import { fileSize } from '../std/file.ts'
import { type Json, parseJson } from '../std/json.ts'
import { formatTime } from '../std/time.ts'
import type { Work } from './work.ts'

const maxSubagentBytes = 50 * 1024 * 1024
const tailBytes = 1024 * 1024

/** Files the subagent's own transcript says it wrote. */
export function readSubagentFiles(work: Work): string[] {
  const text = readSubagentTranscript(work)
  return text === undefined ? [] : work.agent.transcript.readLines(text.trimEnd().split('\n'), undefined).files
}

/** A file of a task, below the task's directory. */
export interface TaskFile {
  path: string
  content: Buffer
}

export async function finalFiles(work: Work, task: string): Promise<TaskFile[]> {
  const { session, event, recorder } = work
  const text = readSubagentTranscript(work)
  const result = {
    session_id: session.id,
    tool_use_id: task,
    checkpoint_uuid: findTaskEnd(work, task) ?? '',
    agent_id: event.subagent ?? '',
  }
  return [
    ...(text === undefined || event.subagent === undefined
      ? []
      : [textFile(`agent-${event.subagent}.jsonl`, (await recorder.redaction()).json(stripLines(work.agent.transcript, text)))]),
    textFile('checkpoint.json', JSON.stringify(result, null, 2)),
  ]
}

export async function incrementalFile({ recorder, event }: Work, task: string, sequence: number): Promise<TaskFile> {
  const toolUse = event.toolUse ?? task
  const { json } = await recorder.redaction()
  const data = event.toolInput === undefined ? null : (parseJson(json(JSON.stringify(event.toolInput))) as Json)
  const record = { type: event.toolName ?? 'TodoWrite', tool_use_id: toolUse, timestamp: formatTime(recorder.clock()), data }
  return textFile(`checkpoints/${String(sequence).padStart(3, '0')}-${toolUse}.json`, JSON.stringify(record, null, 2))
}

function textFile(path: string, text: string): TaskFile {
  return { path, content: Buffer.from(text) }
}

function readSubagentTranscript({ agent, event, session }: Work): string | undefined {
  const main = session.transcriptPath
  const path = event.subagentTranscript ?? (main && event.subagent ? agent.subagents?.transcriptPath(main, event.subagent) : undefined)
  const size = path === undefined ? undefined : fileSize(path)
  return path === undefined || size === undefined || size > maxSubagentBytes ? undefined : readFileSync(path, 'utf8')
}

// The result was written just now, so it is near the end.
function findTaskEnd({ agent, session }: Work, task: string): string | undefined {
  const size = session.transcriptPath === undefined ? undefined : fileSize(session.transcriptPath)
  if (session.transcriptPath === undefined || size === undefined) return undefined
  const buffer = Buffer.alloc(Math.min(size, tailBytes))
  const fd = openSync(session.transcriptPath, 'r')
  try {
    readSync(fd, buffer, 0, buffer.length, size - buffer.length)
  } finally {
    closeSync(fd)
  }
  return agent.transcript.toolResultId?.(buffer.toString('utf8').split('\n'), task)
}
