// Plays OpenCode for a plugin, from a captured run: it loads the plugin, calls its hooks, repeats what the
// tools did, and lets the session grow as it did. Called with the plugin, the events, the work tree, and how
// it ends.
import { execSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { opencodeSessions } from './opencode-sessions.ts'

const [pluginPath = '', eventsPath = '', root = '', ending = 'dispose', until = 'dispose'] =
  process.argv.slice(2)
const sessions = opencodeSessions(process.env.HOME ?? '')

type Question = { path: { id: string } }
type Hook = (input: unknown, output?: unknown) => Promise<void>
type Tool = (args: Record<string, string>, env: Record<string, string>) => void

const answer = async <T>(data: T) => {
  if (process.env.OPENCODE_FAILS) throw new Error('no answer')
  return { data }
}
const client = {
  session: {
    get: ({ path }: Question) => answer(sessions.find(path.id)?.info),
    messages: ({ path }: Question) => answer(sessions.find(path.id)?.messages),
    children: ({ path }: Question) => answer(sessions.children(path.id).map(({ info }) => info)),
  },
}

const [makePlugin] = Object.values(await import(pluginPath)) as ((
  input: object,
) => Promise<Record<string, Hook>>)[]
const hooks = (await makePlugin?.({ client, directory: root, worktree: root })) ?? {}

const tools: Record<string, Tool> = {
  // The captured subagent only talked.
  task: () => writeFileSync(join(root, process.env.SUBAGENT_WRITES ?? ''), 'made by a subagent\n'),
  write: ({ filePath = '', content = '' }) => writeFileSync(filePath, content),
  edit: ({ filePath = '', oldString = '', newString = '' }) =>
    writeFileSync(filePath, readFileSync(filePath, 'utf8').replace(oldString, newString)),
  bash: ({ command = '' }, env) =>
    execSync(command, {
      cwd: root,
      env: { ...process.env, OPENCODE: '1', AGENT: '1', ...env },
      stdio: 'ignore',
    }),
}

const lines = readFileSync(eventsPath, 'utf8').replaceAll('/home/dev/app', root).trim().split('\n')
for (const line of lines) {
  const { hook, payload } = JSON.parse(line)
  const time = Math.max(...[...line.matchAll(/\b1[79]\d{11}\b/g)].map(([digits]) => Number(digits)))
  if (Number.isFinite(time)) Date.now = () => time
  if (hook === 'dispose') break
  if (hook.startsWith('event.')) {
    sessions.take(payload)
    // OpenCode does not wait for these.
    void hooks.event?.({ event: payload })
  } else await hooks[hook]?.(payload.input, payload.output)
  if (hook === 'tool.execute.before') {
    const shell = { env: {} }
    await hooks['shell.env']?.(payload.input, shell)
    try {
      tools[payload.input.tool]?.(payload.output.args, shell.env)
    } catch {
      // As with a real agent, a tool may fail.
    }
  }
  if (hook === until) break
}
if (ending === 'dispose') await hooks.dispose?.({})
process.exit(0)
