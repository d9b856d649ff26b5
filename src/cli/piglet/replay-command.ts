// `piglet ext replay`: says to extensions again what is in a recording, and tells what they say differently.
import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { extensionEnvironment } from '../../extensions/environment.ts'
import { parseRecording, type RecordedProcess } from '../../extensions/flight-recorder/recording.ts'
import { type Deviation, replayProcess } from '../../extensions/flight-recorder/replay.ts'
import { createTrust } from '../../extensions/headless/settings/trust.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { checkRuntime } from '../../extensions/runtime-command.ts'
import { EntireError } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { said, value } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { clean, cut } from '../render/text.ts'
import { findExtension } from './find-extension.ts'
import { findPlaces } from './places.ts'

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

export const replayCommand = buildCommand<ReplayFlags, [string], Cli>({
  async func(flags, file) {
    const text = readText(resolve(this.cwd, file))
    if (text === undefined) throw new EntireError('not-found', `There is no file ${clean(file)}.`)
    const recording = parseRecording(text, clean(file))
    const places = findPlaces(this)
    const other = flags.ext === undefined ? undefined : findExtension(this, places, flags.ext)
    const chosen = other ? recording.filter(({ extension }) => extension === other.name) : recording
    if (chosen.length === 0)
      throw new EntireError('not-found', `${clean(file)} has nothing of ${clean(other?.name ?? 'any extension')} in it.`)
    const replayed: Replayed[] = []
    for (const recorded of chosen)
      replayed.push(await replay(this, other ?? findExtension(this, places, recorded.extension), recorded, flags))
    if (flags.json) this.process.stdout.write(formatJson(replayed))
    else for (const one of replayed) for (const line of describe(one)) this.out(line)
    if (replayed.some(({ deviations }) => deviations.length > 0)) this.process.exitCode = 1
  },
  parameters: {
    flags: {
      ext: value('extension', 'Directory of the extension to try, instead of the one that is installed'),
      ignore: {
        kind: 'parsed',
        parse: String,
        variadic: ',',
        optional: true,
        placeholder: 'field',
        brief: 'Field that differs each time; may be repeated',
      },
      within: { kind: 'parsed', parse: parseSeconds, default: '10', placeholder: 'seconds', brief: 'How long each answer may take' },
      json: said('Print JSON'),
    },
    positional: { kind: 'tuple', parameters: [{ brief: 'File that `piglet ext record` wrote', parse: String, placeholder: 'recording' }] },
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

async function replay(cli: Cli, manifest: Manifest, recorded: RecordedProcess, { ignore = [], within }: ReplayFlags): Promise<Replayed> {
  checkRuntime(manifest)
  const granted = createTrust(findPlaces(cli).configDir).variables(manifest)
  const env = extensionEnvironment(cli.env, manifest, undefined, granted)
  const deviations = await replayProcess(manifest, recorded, { env, ignore, withinMs: within * 1000 })
  return { extension: recorded.extension, process: recorded.process, messages: recorded.entries.length, deviations }
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
