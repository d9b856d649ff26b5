// Runs extensions for the time of a command: found, started, and stopped in the end, whatever happens.
import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { discoverExtensions } from '../../extensions/discover.ts'
import { createRecorder, type Tap } from '../../extensions/flight-recorder/recorder.ts'
import { createHeadless, type Headless } from '../../extensions/headless/headless.ts'
import type { HeadlessOptions } from '../../extensions/headless/headless-options.ts'
import { publishBoard } from '../../extensions/status-board.ts'
import { countTraffic } from '../../extensions/traffic.ts'
import { EntireError } from '../../std/errors.ts'
import { fileLog } from '../../std/log.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { untilSignal } from '../watch/signals.ts'
import { answerAtTerminal } from './answer-question.ts'
import { findExtension } from './find-extension.ts'
import { findPlaces, logFileOf } from './places.ts'
import { printChanges } from './view-printer.ts'

export interface HostOptions {
  /** Only these, by name or directory. */
  ext?: readonly string[] | undefined
  /** Everything that is said goes into this file. */
  record?: string | undefined
  /** Nothing is printed on the way. */
  quiet?: boolean | undefined
  watch?: boolean
}

export const extFlag = {
  kind: 'parsed',
  parse: String,
  variadic: ',',
  optional: true,
  placeholder: 'extension',
  brief: 'Only this extension, by name or directory; may be repeated',
} as const

export async function withHost<Value>(
  cli: Cli,
  options: HostOptions,
  work: (headless: Headless, signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { configDir } = findPlaces(cli)
  const wanted = chooseExtensions(cli, options.ext)
  const traffic = countTraffic()
  using recording = openRecording(cli, options.record)
  const interrupted = new AbortController()
  using _stop = untilSignal(() => interrupted.abort(new EntireError('agent-failed', 'Interrupted.')))
  const dialogs = answerAtTerminal(cli)
  const given: HeadlessOptions = {
    cwd: cli.cwd,
    configDir,
    env: cli.env,
    clock: cli.clock,
    log: fileLog(logFileOf(configDir), 'debug').write,
    places: wanted.places,
    tap: (...said) => {
      traffic.tap(...said)
      recording.tap?.(...said)
    },
    ...(dialogs && !options.quiet ? { dialogs } : {}),
    ...(options.quiet ? {} : { onChange: printChanges(cli) }),
    ...(options.watch ? { watch: true } : {}),
  }
  const headless = createHeadless(given)
  try {
    const { problems } = await headless.start()
    for (const problem of problems) cli.note(`Note: ${clean(problem)}`)
    for (const name of wanted.names) requireStarted(headless, name)
    const board = publishBoard(configDir, () => traffic.board(headless.host, cli.cwd, cli.clock()))
    try {
      return await work(headless, interrupted.signal)
    } finally {
      board.close()
    }
  } finally {
    await headless.stop()
  }
}

/** All that are enabled, unless some are named. */
function chooseExtensions(cli: Cli, given: readonly string[] | undefined) {
  if (given === undefined || given.length === 0) return { names: [], places: {} }
  const places = findPlaces(cli)
  const chosen = given.map((name) => findExtension(cli, places, name))
  const names = chosen.map(({ name }) => name)
  const others = discoverExtensions(places).extensions.filter(({ name }) => !names.includes(name))
  return { names, places: { also: chosen.map(({ dir }) => dir), disabled: others.map(({ name }) => name) } }
}

function requireStarted({ host }: Headless, name: string): void {
  const { status } = host.list().find(({ manifest }) => manifest.name === name) ?? {}
  if (host.find(name)) return
  throw new EntireError('agent-failed', `${name} does not run: ${status?.reason ?? 'it was not found'}`, {
    hint: `Run \`piglet ext check ${name}\`, or \`piglet ext logs ${name}\`.`,
  })
}

/** Private: conversations are in it. */
function openRecording(cli: Cli, file: string | undefined): { tap?: Tap } & Disposable {
  if (file === undefined) return { [Symbol.dispose]() {} }
  const fd = openSync(resolve(cli.cwd, file), 'w', 0o600)
  return {
    tap: createRecorder({ write: (text) => void writeSync(fd, text), clock: cli.clock }),
    [Symbol.dispose]: () => closeSync(fd),
  }
}
