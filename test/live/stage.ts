// Enables one agent in one repository, as a user does, and prompts it against the scripted model.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { runLimited } from '../../src/std/limited-process.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { until } from '../support/until.ts'
import type { LiveAgent } from './agents/live-agent.ts'
import type { Cost } from './model/conversation.ts'
import { isDelegated } from './model/script.ts'
import { type Exchange, type ScriptedModel, startModel } from './model/server.ts'

export type SessionState = Record<string, unknown> & { session_id: string }

export interface Stage {
  repo: RecordedRepo
  model: ScriptedModel
  /** Lets the agent work on a prompt. `command`: the one that continues a session. Throws when it fails. */
  ask(prompt: string, command?: string): Promise<Spent>
  /** Lets it work on a prompt until the model does not answer any more, and stops it as Ctrl-C does. */
  interrupt(prompt: string): Promise<Spent>
  /** Continues the session in a fork. */
  fork(prompt: string, command: string): Promise<Spent>
  /** Takes the agent's own sessions away. */
  forget(): void
  /** Recorded sessions, oldest first. */
  sessions(): SessionState[]
}

/** What the replies to a prompt cost: those to the agent, and those to its subagents. */
export interface Spent {
  own: Cost[]
  delegated: Cost[]
}

const limits = { timeoutMs: 240_000, maxBytes: 4 << 20 }

export async function setStage(agent: LiveAgent, bin: string): Promise<Stage> {
  const others = Object.keys(networkInterfaces()).filter((name) => name !== 'lo')
  if (others.length > 0)
    throw new Error(
      `An agent is never run with a network, and there is ${others.join(', ')}. Use npm run test:live.`,
    )
  const repo = await recordedRepo({ agent: agent.name })
  await repo.commit('Set up')
  const home = String(repo.env.HOME)
  const model = startModel(agent.tools, repo.root)
  const { files, env } = agent.prepare({ home, root: repo.root, url: model.url })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  // npm hands its own settings down to whatever it runs, and some agents trust PWD more than their working
  // directory.
  for (const name of Object.keys(repo.env)) if (/^(?:npm_|CI$)/i.test(name)) delete repo.env[name]
  Object.assign(repo.env, env, { PWD: repo.root, PATH: `${bin}${delimiter}${repo.env.PATH}` })
  const run = async (program: string, args: string[]): Promise<Spent> => {
    const argv = [join(bin, program), ...args]
    const before = model.exchanges.length
    const ran = await runLimited(argv, { cwd: repo.root, env: repo.env, ...limits })
    if (ran.code === 0) return spentIn(model.exchanges.slice(before))
    const why = ran.timedOut ? 'took too long' : (ran.startError ?? `ended with ${ran.code ?? ran.signal}`)
    throw new Error(`${argv.join(' ')} ${why}:\n${ran.stdout}\n${ran.stderr}`)
  }
  return {
    repo,
    model,
    ask(prompt, command = agent.program) {
      const [program = '', ...resumed] = command.split(' ')
      return run(program, agent.args(prompt, resumed))
    },
    async interrupt(prompt) {
      const before = model.exchanges.length
      const waiting = model.held
      const child = Bun.spawn([join(bin, agent.program), ...agent.args(prompt, [])], {
        cwd: repo.root,
        env: repo.env,
        stdio: ['ignore', 'ignore', 'ignore'],
        timeout: limits.timeoutMs,
      })
      await until(() => model.held > waiting)
      child.kill('SIGINT')
      await child.exited
      return spentIn(model.exchanges.slice(before))
    },
    fork(prompt, command) {
      const [program = '', ...resumed] = command.split(' ')
      return run(program, agent.args(prompt, agent.fork?.(resumed) ?? resumed))
    },
    forget() {
      for (const path of agent.memory) rmSync(join(home, path), { recursive: true, force: true })
    },
    sessions() {
      const dir = join(repo.repo.commonDir, 'entire-sessions')
      const ids = (existsSync(dir) ? readdirSync(dir) : []).flatMap((name) =>
        name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [],
      )
      const states = ids.map((id) => repo.state(id) as SessionState)
      return states.toSorted((a, b) => String(a.started_at).localeCompare(String(b.started_at)))
    },
  }
}

// Errands are no part of the conversation, and agents do not count them.
function spentIn(exchanges: Exchange[]): Spent {
  const costs = (wanted: boolean) =>
    exchanges
      .filter(({ asked, replied }) => !replied.isErrand && isDelegated(asked) === wanted)
      .map(({ replied }) => replied.cost)
  return { own: costs(false), delegated: costs(true) }
}
