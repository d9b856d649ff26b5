// Usage: demo-agent <script.json>, in the repository to work on.
import { readFileSync } from 'node:fs'
import { play, type Script } from './agent.ts'

const script = process.argv[2]
if (script === undefined) {
  console.error('Usage: demo-agent <script.json>')
  process.exit(2)
}
const { env } = process
play(JSON.parse(readFileSync(script, 'utf8')) as Script, { root: process.cwd(), home: env.HOME ?? '', env })
