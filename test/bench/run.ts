// Runs `npm run bench`: measures every promise about speed and compares it with its limit. `npm run bench --
// stop` runs one group.
import { measureCommit } from './commit.ts'
import { measureExtension } from './extension.ts'
import { measureExternal } from './external.ts'
import { measureFeel } from './feel.ts'
import { holds, type Measurement, type Result } from './measure.ts'
import { measureProcesses } from './processes.ts'
import { benchRedact } from './redact.ts'
import { measureStart } from './start.ts'
import { measureStop } from './stop.ts'
import { measureTranscript } from './transcript.ts'
import { measureTurnStart } from './turn-start.ts'

const groups: Record<string, Measurement> = {
  start: measureStart,
  processes: measureProcesses,
  'turn-start': measureTurnStart,
  stop: measureStop,
  transcript: measureTranscript,
  commit: measureCommit,
  feel: measureFeel,
  external: measureExternal,
  extension: measureExtension,
  redact: async () => (await benchRedact()).map((line) => ({ ...line, unit: ` ${line.unit}`, detail: '' })),
}

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => groups[name] === undefined)
if (unknown.length > 0) {
  console.error(`No group is called ${unknown.join(' or ')}. There are: ${Object.keys(groups).join(', ')}.`)
  process.exit(2)
}

const row = (cells: string[]) =>
  console.log(
    `${cells[0]?.padEnd(56)} ${cells[1]?.padStart(10)} ${cells[2]?.padStart(10)}  ${cells[3]?.padEnd(4)}  ${cells[4]}`,
  )

function show(result: Result): void {
  const number = (value: number) => `${Number.isInteger(value) ? value : value.toFixed(2)}${result.unit}`
  const verdict = result.limit === undefined ? '' : holds(result) ? 'ok' : 'FAIL'
  row([
    result.name,
    number(result.value),
    result.limit === undefined ? '' : `≤ ${number(result.limit)}`,
    verdict,
    result.detail,
  ])
}

let broken = 0
row(['', 'measured', 'limit', '', 'medians of interleaved runs'])
for (const name of chosen.length > 0 ? chosen : Object.keys(groups)) {
  const results = (await groups[name]?.()) ?? []
  for (const result of results) show(result)
  broken += results.filter((result) => !holds(result)).length
}
if (broken > 0) console.log(`\n${broken} above the limit`)
process.exit(broken === 0 ? 0 : 1)
