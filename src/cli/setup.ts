// What setting up consists of, in pieces that enable, disable and status share.
import { join } from 'node:path'
import { agents } from '../agents/all.ts'
import { metadataBranch, metadataRef } from '../checkpoints/layout.ts'
import { readConfig } from '../git/config.ts'
import { startImport } from '../git/fast-import.ts'
import { listRefs, moveRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import type { Agent, HookInstaller, HookSite } from '../model/agent.ts'
import { EntireError } from '../std/errors.ts'

export type HookedAgent = Agent & { installer: HookInstaller }

/** The agents that hooks can be installed for. */
export function hookedAgents(): HookedAgent[] {
  return agents.filter((agent): agent is HookedAgent => agent.installer !== undefined)
}

/** Agents used here that have no hooks: `entire watch` records them. */
export async function findWatchedAgents(repo: Repo): Promise<Agent[]> {
  const candidates = agents.filter((agent) => agent.installer === undefined && agent.watcher !== undefined)
  const detected = await Promise.all(candidates.map((agent) => agent.detect(repo.root)))
  return candidates.filter((_, index) => detected[index])
}

/** Each work tree has config files of its own, so what they were is kept in its own git directory. */
export function hookSite(repo: Repo): HookSite {
  return { root: repo.root, keepDir: join(repo.gitDir, keepName) }
}

export const keepName = 'entire-originals'

export async function findInstalledAgents(repo: Repo): Promise<HookedAgent[]> {
  return (await readInstalled(repo)).flatMap(({ agent, installed }) => (installed === true ? agent : []))
}

export interface InstalledState {
  agent: HookedAgent
  /** The problem, where an external agent could not say. */
  installed: boolean | EntireError
}

export async function readInstalled(repo: Repo): Promise<InstalledState[]> {
  return await Promise.all(
    hookedAgents().map(async (agent) => ({
      agent,
      installed: await agent.installer.installed(hookSite(repo)).catch((error: unknown) => {
        if (error instanceof EntireError && agent.executable !== undefined) return error
        throw error
      }),
    })),
  )
}

/** The branch for checkpoints: the remote's where it is known, so that two clones do not start two histories. */
export async function ensureMetadataBranch(repo: Repo, now: Date, remoteName = 'origin'): Promise<void> {
  const remoteRef = `refs/remotes/${remoteName}/${metadataBranch}`
  const refs = await listRefs(repo, metadataRef, remoteRef)
  if (refs.some(({ ref }) => ref === metadataRef)) return
  const remote = refs.find(({ ref }) => ref === remoteRef)
  if (remote !== undefined) return moveRefs(repo, [{ ref: metadataRef, to: remote.oid, from: undefined }])
  const save = startImport(repo)
  save.commit({
    ref: metadataRef,
    parent: undefined,
    message: 'Initialize metadata branch\n\nThis branch stores the sessions of coding agents, one directory per checkpoint.\n',
    author: (await readConfig(repo)).author,
    seconds: Math.floor(now.getTime() / 1000),
    changes: [],
  })
  await save.finish()
}
