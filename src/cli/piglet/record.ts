// `piglet ext record`: does a few things with extensions, and writes down everything that is said.

import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { parseRecording, type RecordedProcess } from '../../extensions/flight-recorder/recording.ts'
import { type Deviation, replayProcess } from '../../extensions/flight-recorder/replay.ts'
import { checkRuntime, extensionEnvironment } from '../../extensions/launch.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { createTrust } from '../../piglet/settings/trust.ts'
import { EntireError } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { asObject, formatJson } from '../../std/json.ts'
import { askLine } from '../ask.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { clean, cut } from '../render/text.ts'
import { extFlag, withHost } from './host.ts'
import { findExtension, findPigletPlaces } from './places.ts'
import { parseScriptLine, runScriptLine, verbs } from './script.ts'

interface RecordFlags {
  ext?: readonly string[]
  json?: boolean
}

export const extRecordCommand = buildCommand<RecordFlags, [string, ...string[]], Cli>({
  async func(flags, file, ...lines) {
    const steps = (lines.length > 0 ? lines : await readLines(this)).map(parseScriptLine)
    if (steps.length === 0)
      throw new EntireError('bad-usage', 'There is nothing to do that could be recorded.', {
        hint: 'Name steps, such as: call greet {}',
      })
    const outcomes = await withHost(
      this,
      { ext: flags.ext, record: file, quiet: flags.json },
      async (piglet, signal) => {
        const list: unknown[] = []
        for (const step of steps) list.push((await runScriptLine(piglet.host, step, signal)) ?? null)
        await piglet.settled()
        return list
      },
    )
    if (flags.json) this.process.stdout.write(formatJson(outcomes))
    else this.out(`Recorded ${steps.length === 1 ? 'one step' : `${steps.length} steps`} in ${clean(file)}.`)
    if (outcomes.some((outcome) => asObject(outcome)?.isError === true))
      this.note('Note: A tool failed; that is in the recording, too.')
  },
  parameters: {
    flags: { ext: extFlag, json: switchFlag('Print what came of each step as JSON') },
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
  for (let line = await askLine(cli, 'Step'); line !== undefined; line = await askLine(cli, 'Step'))
    if (line !== '') lines.push(line)
  return lines
}

// `piglet ext replay`: says to extensions again what is in a recording, and tells what they say differently.

interface ReplayFlags {
  ext?: string
  ignore?: readonly string[]
  within: number
  json?: boolean
}

interface Replayed {
  extension: string
  process: number
  messages: number
  deviations: Deviation[]
}

export const extReplayCommand = buildCommand<ReplayFlags, [string], Cli>({
  async func(flags, file) {
    const text = readText(resolve(this.cwd, file))
    if (text === undefined) throw new EntireError('not-found', `There is no file ${clean(file)}.`)
    const recording = parseRecording(text, clean(file))
    const places = findPigletPlaces(this)
    const other = flags.ext === undefined ? undefined : findExtension(this, places, flags.ext)
    const chosen = other ? recording.filter(({ extension }) => extension === other.name) : recording
    if (chosen.length === 0)
      throw new EntireError(
        'not-found',
        `${clean(file)} has nothing of ${clean(other?.name ?? 'any extension')} in it.`,
      )
    const replayed: Replayed[] = []
    for (const recorded of chosen)
      replayed.push(
        await replay(this, other ?? findExtension(this, places, recorded.extension), recorded, flags),
      )
    if (flags.json) this.process.stdout.write(formatJson(replayed))
    else for (const one of replayed) for (const line of describe(one)) this.out(line)
    if (replayed.some(({ deviations }) => deviations.length > 0)) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      ext: valueFlag('extension', 'Directory of the extension to try, instead of the one that is installed'),
      ignore: {
        kind: 'parsed',
        parse: String,
        variadic: ',',
        optional: true,
        placeholder: 'field',
        brief: 'Field that differs each time; may be repeated',
      },
      within: {
        kind: 'parsed',
        parse: parseSeconds,
        default: '10',
        placeholder: 'seconds',
        brief: 'How long each answer may take',
      },
      json: switchFlag('Print JSON'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'File that `piglet ext record` wrote', parse: String, placeholder: 'recording' }],
    },
  },
  docs: {
    brief: 'Replay a recording, and tell what is different now',
    fullDescription: formatManual({
      text: [
        'Starts each extension of the recording, says to it what the host said then, in the same order, and answers its questions with the',
        'answers of then. Told is what it leaves out, says differently, or says in addition. Exit code 1 when anything is.',
        'Keys are not in recordings: extensions get a text in their place.',
      ],
      examples: [
        ['piglet ext replay greeting.jsonl', 'with the extensions that are installed'],
        ['piglet ext replay greeting.jsonl --ext . --ignore timestamp', 'with the one you are working on'],
      ],
    }),
  },
})

async function replay(
  cli: Cli,
  manifest: Manifest,
  recorded: RecordedProcess,
  { ignore = [], within }: ReplayFlags,
): Promise<Replayed> {
  checkRuntime(manifest)
  const granted = createTrust(findPigletPlaces(cli).configDir).variables(manifest)
  const env = extensionEnvironment(cli.env, manifest, undefined, granted)
  const deviations = await replayProcess(manifest, recorded, { env, ignore, withinMs: within * 1000 })
  return {
    extension: recorded.extension,
    process: recorded.process,
    messages: recorded.entries.length,
    deviations,
  }
}

function describe({ extension, messages, deviations }: Replayed): string[] {
  if (deviations.length === 0) return [`${clean(extension)}: ${messages} messages, nothing is different.`]
  return [
    `${clean(extension)}: ${messages} messages, ${deviations.length} different:`,
    ...deviations.flatMap(({ ms, subject, kind, path, was, is }) => [
      `  ${kind} (${ms} ms): ${clean(subject)}${path ? ` at ${clean(path)}` : ''}`,
      ...(was === undefined ? [] : [`    was: ${cut(JSON.stringify(was), 200)}`]),
      ...(is === undefined ? [] : [`    is:  ${cut(JSON.stringify(is), 200)}`]),
    ]),
  ]
}

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 3600) return seconds
  throw new SyntaxError(`"${text}" is not a number of seconds up to 3600`)
}
