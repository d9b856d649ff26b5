// Runs the demo agent in the current repository: demo-agent [--resume <session>] [<prompt>]. Plays the turn
// of ~/.demo-agent/script.json that has this prompt, or all turns that have not been played.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { play, type Script } from './agent.ts'
import { readLog, sessionDir, sessionFile } from './session-log.ts'

const { values, positionals } = parseArgs({ options: { resume: { type: 'string' } }, allowPositionals: true })
const [prompt] = positionals
const { env } = process
const home = env.HOME ?? ''
const root = process.cwd()
const script = JSON.parse(readFileSync(join(home, '.demo-agent', 'script.json'), 'utf8')) as Script
const session = values.resume ?? script.session
const log = readLog(sessionFile(sessionDir(home, root), session))
const played = log.filter((line) => line.kind === 'prompt').length
const turns =
  prompt === undefined ? script.turns.slice(played) : script.turns.filter((turn) => turn.prompt === prompt)

if (values.resume !== undefined && log.length === 0) fail(`session not found: ${session}`)
if (values.resume === undefined && log.length > 0)
  fail(`Session ${session} already exists. Resume it: demo-agent --resume ${session}`)
if (prompt !== undefined && turns.length === 0) fail('The script has no turn with this prompt.')
play({ ...script, session, turns }, { root, home, env })
for (const { answer } of turns) console.log(answer)

function fail(why: string): never {
  console.error(`demo-agent: ${why}`)
  process.exit(1)
}
