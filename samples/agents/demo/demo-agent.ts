// Usage: demo-agent [--resume <session>] [<prompt>], in the repository to work on. What it knows to do is in ~/.demo-agent/script.json:
// the turn that has this prompt, or all that have not been played.
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

if (values.resume !== undefined && log.length === 0)
  fail(`There is no session ${session} of this repository.`)
if (values.resume === undefined && log.length > 0)
  fail(`Session ${session} has begun already: demo-agent --resume ${session}`)
if (prompt !== undefined && turns.length === 0) fail('The script has no such prompt.')
play({ ...script, session, turns }, { root, home, env })
for (const { answer } of turns) console.log(answer)

function fail(why: string): never {
  console.error(`demo-agent: ${why}`)
  process.exit(1)
}
