// A transcript on its way back to an agent that puts it in its place itself. Whatever it replaces is kept beside it.
import { constants, copyFileSync } from 'node:fs'
import type { Agent } from '../model/agent.ts'
import type { DeliveredLog } from '../model/session-file.ts'
import { isErrno } from '../std/errors.ts'
import { readBytes, removeFile } from '../std/file.ts'
import type { Recorder } from './work.ts'

/** Undefined when the agent could not take it: then its file is to be written. */
export async function giveBack(
  { env, clock }: Pick<Recorder, 'env' | 'clock'>,
  agent: Agent,
  log: DeliveredLog,
): Promise<{ backup?: string } | undefined> {
  if (agent.resume?.deliver === undefined) return undefined
  const before = readBytes(log.path)
  if (before?.equals(log.bytes)) return {}
  // A copy and no second name: the agent may write into the file.
  const backup = before && copyBeside(log.path, clock())
  const isTaken = await agent.resume.deliver(log, env)
  const isLost = isTaken && before !== undefined && readBytes(log.path)?.subarray(0, before.length).equals(before) !== true
  if (backup !== undefined && !isLost) removeFile(backup)
  if (!isTaken) return undefined
  return isLost && backup !== undefined ? { backup } : {}
}

function copyBeside(path: string, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  for (let attempt = 0; ; attempt += 1) {
    const backup = `${path}.backup-${stamp}${attempt === 0 ? '' : `-${attempt}`}`
    try {
      copyFileSync(path, backup, constants.COPYFILE_EXCL)
      return backup
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error
    }
  }
}
