// `piglet ext record`: does a few things with extensions, and writes down everything that is said.
import { buildCommand } from '@stricli/core'
import { EntireError } from '../../std/errors.ts'
import { asObject, formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { said } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { askLine } from '../plain-ask.ts'
import { clean } from '../render/text.ts'
import { extFlag, withHost } from './host.ts'
import { parseStep, runStep, verbs } from './steps.ts'

interface RecordFlags {
  ext?: readonly string[]
  json?: boolean
}

export const recordCommand = buildCommand<RecordFlags, [string, ...string[]], Cli>({
  async func(flags, file, ...lines) {
    const steps = (lines.length > 0 ? lines : await readLines(this)).map(parseStep)
    if (steps.length === 0)
      throw new EntireError('bad-usage', 'There is nothing to do that could be recorded.', { hint: 'Name steps, such as: call greet {}' })
    const outcomes = await withHost(this, { ext: flags.ext, record: file, quiet: flags.json }, async (headless, signal) => {
      const list: unknown[] = []
      for (const step of steps) list.push((await runStep(headless.host, step, signal)) ?? null)
      await headless.settled()
      return list
    })
    if (flags.json) this.process.stdout.write(formatJson(outcomes))
    else this.out(`Recorded ${steps.length === 1 ? 'one step' : `${steps.length} steps`} in ${clean(file)}.`)
    if (outcomes.some((outcome) => asObject(outcome)?.isError === true)) this.note('Note: A tool failed; that is in the recording, too.')
  },
  parameters: {
    flags: { ext: extFlag, json: said('Print what came of each step as JSON') },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'File to write, then the steps', parse: String, placeholder: 'file' },
    },
  },
  docs: {
    brief: 'Record what hosts and extensions say to each other',
    fullDescription: formatManual({
      text: [
        'Each step is one argument, or one line of standard input:',
        ...Object.values(verbs).map(({ usage }) => `  ${usage}`),
        'The file has one JSON value per line: when, to whom, and the message. Keys of providers are left out of it; conversations are not.',
        '`piglet ext call` and `piglet ext run` record as well, with --record.',
      ],
      examples: [
        ['piglet ext record greeting.jsonl \'call greet {"name": "you"}\' \'run hi\'', 'two steps'],
        ['piglet ext record greeting.jsonl --ext . < steps.txt', 'steps from a file'],
        ['piglet ext replay greeting.jsonl --ext .', 'later: does it still say the same?'],
      ],
    }),
  },
})

async function readLines(cli: Cli): Promise<string[]> {
  const lines: string[] = []
  for (let line = await askLine(cli, 'Step'); line !== undefined; line = await askLine(cli, 'Step')) if (line !== '') lines.push(line)
  return lines
}
