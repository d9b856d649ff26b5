// Defines `piglet ext record` and `piglet ext replay`, which record messages and compare them later.

import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { parseRecording, type RecordedProcess } from '../../extensions/flight-recorder/recording.ts'
import { type Deviation, replayProcess } from '../../extensions/flight-recorder/replay.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { checkRuntime, extensionEnvironment } from '../../extensions/runtime.ts'
import { Trust } from '../../piglet/settings/trust.ts'
import { EntireError, invalidValue, notFound } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { asObject, formatJson } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
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
    const actions = (lines.length > 0 ? lines : await readLines(this)).map(parseScriptLine)
    if (actions.length === 0)
      throw new EntireError('bad-usage', 'There are no actions to record.', {
        hint: 'Add an action, such as `call greet {}`.',
      })
    const outcomes = await withHost(
      this,
      { ext: flags.ext, record: file, quiet: flags.json },
      async (piglet, signal) => {
        const list: unknown[] = []
        for (const action of actions) list.push((await runScriptLine(piglet.host, action, signal)) ?? null)
        await piglet.settled()
        return list
      },
    )
    if (flags.json) this.process.stdout.write(formatJson(outcomes))
    else this.out(`Recorded ${countOf(actions.length, 'action')} in ${clean(file)}.`)
    if (outcomes.some((outcome) => asObject(outcome)?.isError === true))
      this.note('Note: A tool failed; the recording contains the failure.')
  },
  parameters: {
    flags: { ext: extFlag, json: switchFlag('Print the result of each action as JSON') },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'File to write, then the actions', parse: String, placeholder: 'file' },
    },
  },
  docs: {
    brief: 'Record the messages between host and extensions',
    fullDescription: formatManual({
      text: [
        'Runs actions with the extensions and records all messages. Each action is one argument, or one line of standard input:',
        ...Object.values(verbs).map(({ usage }) => `  ${usage}`),
        'The file has one JSON value per line: time, receiver and message. It contains conversations, but no keys of providers.',
        '`piglet ext call` and `piglet ext run` record, too, with --record.',
      ],
      examples: [
        ['piglet ext record greeting.jsonl \'call greet {"name": "you"}\' \'run hi\'', 'two actions'],
        ['piglet ext record greeting.jsonl --ext . < actions.txt', 'actions from a file'],
        ['piglet ext replay greeting.jsonl --ext .', 'later: compare'],
      ],
    }),
  },
})

async function readLines(cli: Cli): Promise<string[]> {
  const lines: string[] = []
  for (let line = await askLine(cli, 'Action'); line !== undefined; line = await askLine(cli, 'Action'))
    if (line !== '') lines.push(line)
  return lines
}

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
    if (text === undefined) throw notFound('file', clean(file))
    const recording = parseRecording(text, clean(file))
    const places = findPigletPlaces(this)
    const other = flags.ext === undefined ? undefined : findExtension(this, places, flags.ext)
    const chosen = other ? recording.filter(({ extension }) => extension === other.name) : recording
    if (chosen.length === 0)
      throw new EntireError(
        'not-found',
        `${clean(file)} contains no messages of ${clean(other?.name ?? 'any extension')}.`,
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
      ext: valueFlag('extension', 'Directory of the extension to use instead of the installed one'),
      ignore: {
        kind: 'parsed',
        parse: String,
        variadic: ',',
        optional: true,
        placeholder: 'field',
        brief: 'Field to ignore because it always differs; may be repeated, or separate fields with commas',
      },
      within: {
        kind: 'parsed',
        parse: parseSeconds,
        default: '10',
        placeholder: 'seconds',
        brief: 'Time limit for each answer, up to 3600',
      },
      json: switchFlag('Print JSON'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'File that `piglet ext record` wrote', parse: String, placeholder: 'recording' }],
    },
  },
  docs: {
    brief: 'Replay a recording and show differences',
    fullDescription: formatManual({
      text: [
        'Starts each extension of the recording, sends it the recorded messages of the host in the same order, and answers its requests with',
        'the recorded answers. Shows messages that are missing, different or additional. Exit code 1 if there are any.',
        'Recordings contain no keys: extensions get placeholders.',
      ],
      examples: [
        ['piglet ext replay greeting.jsonl', 'with the installed extensions'],
        ['piglet ext replay greeting.jsonl --ext . --ignore timestamp', 'with the one in this directory'],
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
  const granted = new Trust(findPigletPlaces(cli).configDir).variables(manifest)
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
  if (deviations.length === 0) return [`${clean(extension)}: ${messages} messages, no differences.`]
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
  throw invalidValue(clean(text), '--within', 'Use a number of seconds, up to 3600.')
}
