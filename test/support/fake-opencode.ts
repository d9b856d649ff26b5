// Plays `opencode export`, `import` and `session delete`, over sessions in files. OPENCODE_FAILS names
// commands that fail, OPENCODE_HANGS those that never end.
import { readFileSync } from 'node:fs'
import { opencodeSessions } from './opencode-sessions.ts'

const sessions = opencodeSessions(process.env.HOME ?? '')
const [command = '', ...rest] = process.argv.slice(2)
const listed = (names: string | undefined) => (names ?? '').split(' ').includes(command)

function fail(why: string): never {
  process.stderr.write(`\u001b[91m\u001b[1mError: \u001b[0m${why}\n`)
  process.exit(1)
}

if (process.env.OPENCODE_PURE !== '1') fail('plugins were loaded')
if (process.env.GIT_DIR !== undefined || process.env.GIT_INDEX_FILE !== undefined) fail('git was led astray')
if (listed(process.env.OPENCODE_FAILS)) fail('database is locked')
if (listed(process.env.OPENCODE_HANGS)) await new Promise(() => setInterval(() => {}, 1000))

if (command === 'export') {
  process.stderr.write(`Exporting session: ${rest[0]}\n`)
  const session = sessions.find(rest[0] ?? '') ?? fail(`Session not found: ${rest[0]}`)
  const text = JSON.stringify(session, null, 2)
  // Like the real one, it does not wait until a pipe is empty.
  if (require('node:fs').fstatSync(1).isFIFO()) process.stdout.write(text.slice(0, 65_536))
  else process.stdout.write(text)
} else if (command === 'import') {
  const session = JSON.parse(readFileSync(rest[0] ?? '', 'utf8'))
  // Like the real one, it takes its directory from the variable of the shell.
  sessions.importInto(session, process.env.PWD ?? process.cwd())
  process.stdout.write(`Imported session: ${session.info.id}\n`)
} else if (command === 'session' && rest[0] === 'delete') {
  if (sessions.find(rest[1] ?? '') === undefined) fail(`Session not found: ${rest[1]}`)
  sessions.remove(rest[1] ?? '')
} else fail(`no such command: ${command}`)
