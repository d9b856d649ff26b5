// What OpenCode has no file for gets one here, for as long as somebody needs it.
import { basename, join } from 'node:path'

export function sessionsDir(root: string): string {
  return join(root, '.entire', 'tmp')
}

export function sessionFile(root: string, session: string): string {
  return join(sessionsDir(root), `${session}.json`)
}

export function sessionOf(file: string): string {
  return basename(file, '.json')
}

/** Others are not worth asking OpenCode for, which takes its time. */
export function isSessionId(id: string): boolean {
  return /^ses_\w+$/.test(id)
}
