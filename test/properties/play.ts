// Plays events with the real program, and keeps the account of the world up to date.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { killedCode } from '../faults/faulty-repo.ts'
import type { Event } from './events.ts'
import {
  type Actor,
  claim,
  content,
  forgetClean,
  gone,
  isWorking,
  newLines,
  saved,
  touch,
  undisturbed,
  type World,
} from './world.ts'

export function play(world: World, event: Event): Promise<void> {
  return (acts[event.type] as (world: World, event: Event) => Promise<void>)(world, event)
}

let tasks = 0

type Play = { [T in Event['type']]: (world: World, event: Extract<Event, { type: T }>) => Promise<void> }

const acts: Play = {
  async prompt(world, { who }) {
    const actor = world.actors[who] as Actor
    await undisturbed(world, () => actor.agent.prompt('go on'))
    saved(actor)
    actor.running = true
  },
  async write(world, { who, file }) {
    const actor = world.actors[who] as Actor
    if (!isWorking(actor)) await acts.prompt(world, { type: 'prompt', who })
    actor.agent.write(file, content(world, file) + newLines())
    touch(world, actor, file, actor.running ? 'named' : 'unseen')
  },
  async shell(world, { who, file }) {
    const actor = await atWork(world, who)
    actor.agent.say('Running a command.')
    world.repo.write(file, content(world, file) + newLines())
    touch(world, actor, file, 'unseen')
  },
  async delete(world, { who, file }) {
    if (!existsSync(join(world.repo.root, file))) return
    const actor = await atWork(world, who)
    actor.agent.say('Removing a file.')
    await remove(world, actor, file)
  },
  async rename(world, { who, file, to }) {
    const [from, target] = [join(world.repo.root, file), join(world.repo.root, to)]
    if (!existsSync(from) || existsSync(target)) return
    const actor = await atWork(world, who)
    actor.agent.say('Renaming a file.')
    mkdirSync(dirname(target), { recursive: true })
    renameSync(from, target)
    await gone(world, actor, file)
    touch(world, actor, to, 'unseen')
  },
  async 'user-edit'(world, { file }) {
    if (existsSync(join(world.repo.root, file))) world.repo.write(file, content(world, file) + newLines())
  },
  async stop(world, { who }) {
    const actor = world.actors[who] as Actor
    if (!isWorking(actor)) return
    await undisturbed(world, () => actor.agent.stop())
    saved(actor)
  },
  async 'stop-together'(world) {
    const working = world.actors.filter(isWorking)
    await undisturbed(world, () => Promise.all(working.map(({ agent }) => agent.stop())))
    working.forEach(saved)
  },
  async compact(world, { who }) {
    const actor = world.actors[who] as Actor
    if (!actor.running) return
    await undisturbed(world, () => actor.agent.hook('pre-compact', { trigger: 'auto' }))
    saved(actor)
    actor.running = true
  },
  async subagent(world, { who, file }) {
    const actor = await atWork(world, who)
    tasks += 1
    actor.agent.say('Starting a task.')
    const task = {
      tool_name: 'Task',
      tool_use_id: `toolu_task_${tasks}`,
      tool_input: { description: 'sub', subagent_type: 'x' },
    }
    await undisturbed(world, () => actor.agent.hook('pre-task', task))
    world.repo.write(file, content(world, file) + newLines())
    touch(world, actor, file, 'unseen')
    await undisturbed(world, () =>
      actor.agent.hook('post-task', { ...task, tool_response: { agentId: 'a1' } }),
    )
  },
  async end(world, { who }) {
    const actor = world.actors[who] as Actor
    await undisturbed(world, () => actor.agent.end())
    if (actor.running) saved(actor)
    actor.running = false
  },
  async commit(world, { who, files }) {
    const actor = who === 'user' ? undefined : world.actors[who]
    if (actor !== undefined && !actor.running) return
    const env =
      actor === undefined
        ? { ENTIRE_TEST_TTY: '1' }
        : { ENTIRE_TEST_TTY: '0', CLAUDE_CODE_SESSION_ID: actor.agent.session, CLAUDECODE: '1' }
    await commit(world, files, actor, ['commit', '--quiet', '-m', 'work'], env)
  },
  async amend(world) {
    const { repo } = world
    if ((await repo.checkpointsOf()).length === 0) return
    await commit(world, 'all', undefined, ['commit', '--quiet', '--amend', '--no-edit'], {
      ENTIRE_TEST_TTY: '1',
    })
  },
  async stash(world) {
    if (world.stashed !== undefined || (await world.repo.git('status', '--porcelain')) === '') return
    await world.repo.git('stash', '--quiet', '--include-untracked')
    // Work that is stashed before any hook has seen it cannot be recognised when it is restored.
    world.stashed = new Map(world.actors.map((actor) => [actor, actor.touched]))
    for (const actor of world.actors) actor.touched = new Map()
  },
  async unstash(world) {
    if (world.stashed === undefined || (await world.repo.git('status', '--porcelain')) !== '') return
    const popped = await world.repo.run(['git', 'stash', 'pop', '--quiet'])
    if (popped.code === 0)
      for (const [actor, touched] of world.stashed)
        for (const [file, state] of touched) if (state === 'saved') actor.touched.set(file, 'saved')
    if (popped.code !== 0) await dropStash(world)
    world.stashed = undefined
  },
  async checkout(world, { branch }) {
    const { code } = await world.repo.run(['git', 'checkout', '--quiet', branch])
    if (code === 0) await forgetClean(world)
  },
  async killed(world, { who, verb, at }) {
    const actor = world.actors[who] as Actor
    if (verb !== 'user-prompt-submit' && !isWorking(actor)) return
    const env = { ENTIRE_TEST_KILL_AT_WRITE: String(at) }
    const ran = await undisturbed(world, () =>
      actor.agent.hook(verb, { prompt: 'die', trigger: 'auto', reason: 'other' }, { env }),
    )
    if (verb === 'user-prompt-submit')
      actor.agent.log({ type: 'user', message: { role: 'user', content: 'die' } })
    if (ran.code !== killedCode) {
      saved(actor)
      actor.running = verb === 'user-prompt-submit' || verb === 'pre-compact'
      return
    }
    // The program keeps what it knew, but what it knows of this turn depends on the write at which it was
    // killed.
    actor.running = false
    actor.alone = verb === 'user-prompt-submit' || verb === 'pre-compact'
  },
  async 'killed-commit'(world, { hook, at }) {
    const { repo } = world
    await repo.git('add', '--all')
    if ((await staged(world)).length === 0) return
    await repo.gitKilling(hook, at, ['commit', '--quiet', '-m', 'killed'])
    await claim(world, undefined, (await repo.checkpointsOf()).length > 0)
  },
}

// A turn whose prompt was not reported is known only from the transcript; everything else is done in a turn
// that the program knows of.
async function atWork(world: World, who: number): Promise<Actor> {
  const actor = world.actors[who] as Actor
  if (!actor.running) await acts.prompt(world, { type: 'prompt', who })
  return actor
}

async function remove(world: World, actor: Actor, file: string): Promise<void> {
  rmSync(join(world.repo.root, file))
  await gone(world, actor, file)
}

async function staged({ repo }: World): Promise<string[]> {
  return (await repo.git('diff', '--cached', '--name-only', '--no-renames', '-z'))
    .split('\0')
    .filter((name) => name !== '')
}

async function commit(
  world: World,
  files: string[] | 'all',
  by: Actor | undefined,
  args: string[],
  env: Record<string, string>,
): Promise<void> {
  const { repo } = world
  await repo.run([
    'git',
    'add',
    '--all',
    '--ignore-errors',
    '--',
    ...(files === 'all' ? ['.'] : files.filter((file) => existsSync(join(repo.root, file)))),
  ])
  if ((await staged(world)).length === 0) return
  const ran = await repo.run(['git', ...args], { env: { ...repo.env, ...env } })
  if (ran.code !== 0) throw new Error(`git ${args.join(' ')} failed: ${ran.stderr}`)
  await claim(world, by, true)
}

async function dropStash({ repo }: World): Promise<void> {
  await repo.git('reset', '--quiet', '--hard')
  await repo.git('clean', '--quiet', '--force', '-d', '--', 'src', 'new.md')
  await repo.git('stash', 'drop', '--quiet')
}
