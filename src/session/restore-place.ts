// Where a session's log belongs on this machine and in this work tree. Stored data names other machines, and may name anything.
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { Agent, LogOrigin } from '../model/agent.ts'
import { exists } from '../std/file.ts'
import { readSession } from './store.ts'
import type { Recorder } from './work.ts'

export type PlaceContext = Pick<Recorder, 'repo' | 'env' | 'home'>

/** Ids become file names and parts of a command that people paste into a shell. */
export function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}$/.test(id) && !id.includes('..')
}

/** Undefined when the agent cannot be given sessions, or the place would lie outside its directory. */
export async function placeLog(context: PlaceContext, agent: Agent, session: string, origin: LogOrigin = {}): Promise<string | undefined> {
  if (agent.resume === undefined || !isPlainId(session)) return undefined
  const known = knownPath(context, agent, session)
  const dir = known === undefined ? resolve(await agent.resume.sessionDir(context.repo.root, context.env)) : dirname(known)
  const file = await agent.resume.sessionFile(dir, session, known === undefined ? origin : { ...origin, name: basename(known) })
  const path = resolve(file)
  if (!path.startsWith(dir + sep)) return undefined
  await agent.resume.mirror?.(session, path, { root: context.repo.root, env: context.env })
  return path
}

/** Where hooks of this work tree saw the log: an agent started in a subdirectory keeps it elsewhere than one started at the top. */
function knownPath({ repo, home }: PlaceContext, agent: Agent, session: string): string | undefined {
  const state = readSession(repo, session)
  const path = state?.transcriptPath
  if (path === undefined || state?.worktreePath !== repo.root || state.agentType !== agent.type || !isAbsolute(path)) return undefined
  // The repository may have been moved to another home together with its states.
  return path.startsWith(join(home, sep)) || exists(dirname(path)) ? resolve(path) : undefined
}
