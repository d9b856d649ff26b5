// Plays the samples of a plugin in a temporary repository, as its agent would, and shows the checkpoint that results.

import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path'
import { eventNames, findEventType } from '../../protocol/external-agent/event.ts'
import type { Messages } from '../../protocol/external-agent/messages.ts'
import { executablePrefix } from '../../protocol/external-agent/subcommand.ts'
import { tryAgent } from '../../sdk/conformance/agent/check-agent.ts'
import {
  type AgentFixtures,
  fillAll,
  type HookFixture,
  readAgentFixtures,
  sampleBytes,
} from '../../sdk/conformance/agent/fixtures.ts'
import type { AgentTrial } from '../../sdk/conformance/agent/trial.ts'
import { resolveSessionFile } from '../../sdk/conformance/agent/trial.ts'
import { BrokenRule } from '../../sdk/conformance/rule.ts'
import { EntireError, notFound } from '../../std/errors.ts'
import { formatJson, parseJson } from '../../std/json.ts'
import { runLimited } from '../../std/limited-process.ts'
import { isExecutable, isInside } from '../../std/program-search.ts'
import type { Cli } from '../context.ts'
import { clean, cleanLines, tableLines } from '../render/text.ts'

export interface TryFlags {
  fixtures?: string
  json?: boolean
}

export async function tryPlugin(cli: Cli, place: string, flags: TryFlags): Promise<void> {
  const executable = findBuilt(resolve(cli.cwd, place))
  const file = flags.fixtures ?? join(dirname(executable), 'fixtures.json')
  const fixtures = readAgentFixtures(resolve(cli.cwd, file))
  await tryAgent(executable, { env: cli.env, fixtures }, async (trial) => {
    const stage = makeStage(cli, trial)
    await stage.entire(['enable', '--agent', trial.info.name, '--absolute-git-hook-path'])
    const { played, files } = await play(stage, fixtures)
    if (!flags.json) for (const line of tableLines(played.map(describe))) cli.out(line)
    const told = await commit(stage, files, flags.json === true)
    if (flags.json)
      cli.process.stdout.write(formatJson({ hooks: played, checkpoints: parseJson(told) ?? [] }))
    else cli.out(`\n${cleanLines(told.trimEnd())}`)
  }).catch((error: unknown) => {
    throw error instanceof BrokenRule ? broken(executable, error) : error
  })
}

function findBuilt(place: string): string {
  if (!existsSync(place)) throw notFound('directory', clean(place), 'Give the directory of a plugin.')
  const found = statSync(place).isDirectory()
    ? readdirSync(place)
        .filter((name) => name.startsWith(executablePrefix))
        .map((name) => join(place, name))
    : [place]
  const executables = found.filter(isExecutable)
  if (executables.length === 1 && executables[0] !== undefined) return executables[0]
  throw notFound(
    'executable',
    clean(join(place, `${executablePrefix}…`)),
    executables.length === 0
      ? 'Build the plugin, and make it executable (chmod +x).'
      : 'Give the path of one of them.',
  )
}

function broken(executable: string, { failure }: BrokenRule): EntireError {
  return new EntireError(
    'agent-failed',
    `${clean(basename(executable))}: expected ${failure.expected}, received ${failure.received}`,
    {
      hint: `${failure.fix} \`entire agent check ${clean(executable)}\` tries every rule.`,
    },
  )
}

interface Stage {
  trial: AgentTrial
  note(text: string): void
  /** What it printed; throws when it fails. */
  entire(words: string[], stdin?: string | Uint8Array): Promise<string>
  git(...words: string[]): Promise<string>
}

function makeStage(cli: Cli, trial: AgentTrial): Stage {
  const PATH = [dirname(trial.executable), trial.env.PATH].filter(Boolean).join(delimiter)
  const run = async (argv: string[], stdin?: string | Uint8Array) => {
    const env = { ...trial.env, PATH }
    const options = {
      cwd: trial.root,
      env,
      timeoutMs: 60_000,
      maxBytes: 64 * 1024 * 1024,
      stdin: stdin ?? '',
    }
    const { code, stdout, stderr, startError } = await runLimited(argv, options)
    const said = cleanLines(`${startError ?? ''}${stderr}`.trim())
    if (code === 0 && said !== '') cli.note(said)
    if (code === 0) return stdout.toString('utf8')
    const words = argv.slice(1).join(' ')
    throw new EntireError('agent-failed', `\`${basename(argv[0] ?? '')} ${clean(words)}\` failed: ${said}`)
  }
  return {
    trial,
    note: cli.note,
    entire: (words, stdin) => run([cli.program, ...words], stdin),
    git: (...words) => run(['git', '-c', 'user.name=Try', '-c', 'user.email=try@example.com', ...words]),
  }
}

type WireEvent = NonNullable<Messages['event']>

interface PlayedHook {
  hook: string
  /** Null when it means nothing to a session, and was not run. */
  event: WireEvent | null
}

async function play(
  stage: Stage,
  fixtures: AgentFixtures,
): Promise<{ played: PlayedHook[]; files: string[] }> {
  const { trial } = stage
  const played: PlayedHook[] = []
  const files = new Set<string>()
  const transcripts = [...fixtures.transcripts]
  for (const sample of fixtures.hooks) {
    const payload = payloadOf(fixtures, sample, trial)
    const event = await trial.ask('parse-hook', { hook: sample.hook }, payload)
    played.push({ hook: sample.hook, event })
    if (event === null) continue
    const transcript = findEventType(event.type) === 'turn-end' ? transcripts.shift() : undefined
    if (transcript !== undefined) {
      const path = await place(trial, event, sampleBytes(fixtures, transcript, trial))
      for (const file of await filesOf(trial, path, fillAll(transcript.files ?? [], trial)))
        files.add(edit(trial, file))
    }
    await stage.entire(['hooks', trial.info.name, sample.hook], payload)
  }
  if (!played.some(({ event }) => event !== null && findEventType(event.type) === 'turn-end'))
    throw new EntireError(
      'bad-payload',
      'No hook in the fixtures ends a turn, so there is nothing to record.',
      {
        hint: 'Add the payloads of a whole turn: its prompt, and its end.',
      },
    )
  return { played, files: [...files] }
}

function payloadOf(fixtures: AgentFixtures, sample: HookFixture, trial: AgentTrial): string | Uint8Array {
  return sample.file === undefined
    ? JSON.stringify(fillAll(sample.payload, trial))
    : sampleBytes(fixtures, sample, trial)
}

// Where the event says, but only inside the sandbox.
async function place(trial: AgentTrial, event: WireEvent, bytes: Buffer): Promise<string> {
  const named = event.session_ref ?? ''
  const path = named === '' ? (await resolveSessionFile(trial, event.session_id)).file : named
  if (![trial.root, trial.home].some((dir) => isInside(path, dir)))
    throw new EntireError('bad-payload', `The transcript ${clean(path)} is outside of the sandbox.`, {
      hint: 'Write {home} or {repo} for its directories in the fixtures.',
    })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  return path
}

async function filesOf(trial: AgentTrial, path: string, expected: string[]): Promise<string[]> {
  const { capabilities } = trial.info
  const found =
    capabilities.transcript_analyzer === true
      ? (await trial.ask('extract-modified-files', { path, offset: 0 })).files
      : expected
  return found.length > 0 ? found : ['changed-by-the-agent.txt']
}

/** Changes the file as the agent did, and returns its path in the repository. */
function edit(trial: AgentTrial, file: string): string {
  const path = resolve(trial.root, file)
  if (!isInside(path, trial.root))
    throw new EntireError('bad-payload', `The file ${clean(file)} is outside of the repository.`, {
      hint: 'Write {repo} for its directory in the fixtures.',
    })
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, 'Changed by the agent.\n')
  return relative(trial.root, path)
}

async function commit({ git, entire, trial }: Stage, files: string[], isJson: boolean): Promise<string> {
  await git('add', '--', ...files)
  await git('commit', '-q', '-m', `Try ${trial.info.type}`)
  const message = await git('log', '-1', '--format=%B')
  if (!message.includes('Entire-Checkpoint:'))
    throw new EntireError('agent-failed', `The commit of ${files.join(', ')} got no checkpoint.`, {
      hint: 'Do the events of one turn have the same session_id, and does a prompt begin it?',
    })
  return await entire(['explain', '--commit', 'HEAD', ...(isJson ? ['--json'] : [])])
}

function describe({ hook, event }: PlayedHook): string[] {
  if (event === null) return [clean(hook), 'no event', '']
  const type = findEventType(event.type)
  return [clean(hook), type === undefined ? `type ${event.type}` : eventNames[type], clean(event.session_id)]
}
