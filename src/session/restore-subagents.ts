// Transcripts of subagents, where a checkpoint has them. One that is there already is left alone: it is at least as complete.
import { dirname, resolve, sep } from 'node:path'
import { findPlaces } from '../checkpoints/places.ts'
import type { StoredSession } from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { readTree } from '../git/tree.ts'
import type { Agent } from '../model/agent.ts'
import { exists } from '../std/file.ts'
import { asObject, asString, parseJson } from '../std/json.ts'
import { writeLog } from './restore-write.ts'
import type { Recorder } from './work.ts'

interface MainLog {
  session: StoredSession
  agent: Agent
  path: string
}

export async function restoreSubagents(recorder: Recorder, objects: ObjectReader, log: MainLog): Promise<void> {
  if (log.agent.subagents === undefined) return
  for (const task of await findTasks(objects, log.session)) {
    for (const file of await readTree(objects, task)) {
      const subagent = /^agent-([A-Za-z0-9_-]+)\.jsonl$/.exec(file.name)?.[1]
      if (subagent !== undefined && (await isOf(objects, task, log))) await restoreSubagent(recorder, objects, log, subagent, file.oid)
    }
  }
}

// Beside the sessions of the checkpoint; below the session where its whole metadata was copied.
async function findTasks(objects: ObjectReader, { checkpoint, dir }: StoredSession): Promise<Oid[]> {
  const trees = [dir]
  for await (const place of findPlaces(objects, checkpoint)) trees.push(place.tree)
  const tasks = await Promise.all([...new Set(trees)].map((tree) => readTree(objects, `${tree}:tasks`)))
  return tasks.flat().flatMap((entry) => (entry.isTree ? [entry.oid] : []))
}

async function isOf(objects: ObjectReader, task: string, log: MainLog): Promise<boolean> {
  const file = await objects.contents(`${task}:checkpoint.json`)
  const session = asString(asObject(parseJson(file?.content.toString('utf8') ?? ''))?.session_id)
  return session === undefined || session === log.session.session
}

async function restoreSubagent({ clock }: Recorder, objects: ObjectReader, log: MainLog, subagent: string, oid: string): Promise<void> {
  const path = log.agent.subagents?.transcriptPath(log.path, subagent)
  if (path === undefined || exists(path) || !resolve(path).startsWith(dirname(log.path) + sep)) return
  const stored = await objects.contents(oid)
  if (stored === undefined) return
  const writing = writeLog(path, clock())
  writing.write(stored.content)
  writing.finish()
}
