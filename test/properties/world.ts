// Makes a real repository with agents in it, and keeps account of who touched what: checkpoints must say the
// same.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FaultyRepo, faultyRepo } from '../faults/faulty-repo.ts'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { checkSteps } from '../support/step-tree.ts'
import { readUserState } from '../support/user-state.ts'
import { sessions } from './events.ts'

/**
 * How much the program can know of what a session did to a file that is not committed yet: nothing so far,
 * what the transcript of the running turn says, or what a hook found in the work tree.
 */
export type Touch = 'unseen' | 'named' | 'saved'

export interface Actor {
  agent: FakeAgent
  /** A turn is running, and the program knows. */
  running: boolean
  /** A turn is running of which the program may not know. */
  alone: boolean
  touched: Map<string, Touch>
  /** Those of the touched files that a tool call of the session names. */
  named: Set<string>
  /** All files that any of its tool calls has named, committed ones included. */
  everNamed: Set<string>
}

export interface Claim {
  commit: string
  file: string
  /** One of them is enough. */
  sessions: string[]
}

export interface World {
  repo: FaultyRepo
  actors: Actor[]
  /** What files held when an agent touched them last. */
  written: Map<string, string>
  /** What commits must be linked to. */
  claims: Claim[]
  stashed: Map<Actor, Map<string, Touch>> | undefined
  [Symbol.asyncDispose](): Promise<void>
}

let lines = 0
export const newLines = () => {
  lines += 1
  return `a telling line, number ${lines}\nanother telling line, number ${lines}\n`
}

export async function newWorld(): Promise<World> {
  const repo = await faultyRepo()
  for (const path of ['tracked.md', 'src/tracked.ts']) repo.write(path, newLines())
  await repo.commitAs('human', 'setup')
  await repo.git('branch', 'side')
  const actors = Array.from({ length: sessions }, () => ({
    agent: checkSteps(repo, fakeAgent(repo)),
    running: false,
    alone: false,
    touched: new Map(),
    named: new Set<string>(),
    everNamed: new Set<string>(),
  }))
  return {
    repo,
    actors,
    written: new Map(),
    claims: [],
    stashed: undefined,
    async [Symbol.asyncDispose]() {
      await repo[Symbol.asyncDispose]()
    },
  }
}

export function isWorking(actor: Actor): boolean {
  return actor.running || actor.alone
}

// A hook has examined the work tree: the work of the session is known now.
export function saved(actor: Actor): void {
  for (const file of actor.touched.keys()) actor.touched.set(file, 'saved')
  actor.running = false
  actor.alone = false
}

export function touch(world: World, actor: Actor, file: string, state: Touch): void {
  world.written.set(file, content(world, file))
  if (state === 'named') for (const names of [actor.named, actor.everNamed]) names.add(file)
  const known = actor.touched.get(file)
  if (known !== 'saved' && !(known === 'named' && state === 'unseen')) actor.touched.set(file, state)
}

/**
 * The sessions of which one must know that the actor touched the file: itself, if one of its tool calls names the
 * file. If none does, evidence may speak for another session that touched the file or has named it.
 */
export function ownersOf({ actors }: World, actor: Actor, file: string): Actor[] {
  if (actor.named.has(file)) return [actor]
  const others = actors.filter(({ touched, everNamed }) => touched.has(file) || everNamed.has(file))
  return [...new Set([actor, ...others])]
}

// A file that was never committed leaves no trace in a commit.
export async function gone(world: World, actor: Actor, file: string): Promise<void> {
  const tracked = (await world.repo.run(['git', 'cat-file', '-e', `HEAD:${file}`])).code === 0
  if (tracked) return touch(world, actor, file, 'unseen')
  for (const other of world.actors) forget(other, file)
}

export function content({ repo }: World, file: string): string {
  const path = join(repo.root, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Every file of the commit is claimed by the sessions that touched it. */
export async function claim(world: World, by: Actor | undefined, linked: boolean): Promise<void> {
  const commit = await world.repo.head()
  const changed = (
    await world.repo.git(
      'diff-tree',
      '-r',
      '--root',
      '--no-commit-id',
      '--name-only',
      '-z',
      '-m',
      '--first-parent',
      commit,
    )
  ).split('\0')
  for (const file of changed) {
    for (const actor of world.actors) {
      const touch = actor.touched.get(file)
      if (touch === undefined) continue
      // An agent that commits in its own turn is known by its environment, so everything it commits counts as
      // its own.
      const sessions = ownersOf(world, actor, file).map(({ agent }) => agent.session)
      if (linked && (touch !== 'unseen' || actor === by)) world.claims.push({ commit, file, sessions })
    }
    for (const actor of world.actors) forget(actor, file)
  }
  await forgetClean(world)
}

// A file that equals HEAD, such as a deletion on a branch that never had it, is not uncommitted work any
// more.
export async function forgetClean({ repo, actors }: World): Promise<void> {
  const status = await repo.git('status', '--porcelain', '-z', '--no-renames', '--untracked-files=all')
  const changed = status.split('\0').map((line) => line.slice(3))
  for (const actor of actors)
    for (const file of actor.touched.keys()) if (!changed.includes(file)) forget(actor, file)
}

function forget({ touched, named }: Actor, file: string): void {
  touched.delete(file)
  named.delete(file)
}

// Nothing of the user's changes while a hook runs.
export async function undisturbed<T>({ repo }: World, act: () => Promise<T>): Promise<T> {
  const look = () =>
    readUserState(repo.repo).filter(
      (line) => !/\/\.entire\/|\/\.git\/(entire[.-]|fast_import_crash|COMMIT_EDITMSG\.\d)/.test(line),
    )
  const before = look()
  const result = await act()
  const after = look()
  const changed = [...new Set(before).symmetricDifference(new Set(after))]
  if (changed.length > 0) throw new Error(`A hook changed what is not its own:\n${changed.join('\n')}`)
  return result
}
