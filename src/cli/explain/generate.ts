// Generates the summary of a checkpoint with the program of an agent. Writes only if everything succeeded.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { agents } from '../../agents/all.ts'
import type { StoredCheckpoint, StoredSession } from '../../checkpoints/read.ts'
import { formatSummary, parseSummary } from '../../checkpoints/record.ts'
import { saveSummary } from '../../checkpoints/summary.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { readConfig } from '../../git/config.ts'
import type { Agent, TextGenerator } from '../../model/agent.ts'
import type { CheckpointSummary } from '../../model/checkpoint.ts'
import type { ProjectContext } from '../../model/session-file.ts'
import type { Settings } from '../../model/settings.ts'
import { EntireError, invalidValue, messageOf, notFound, useOneOf } from '../../std/errors.ts'
import { parseJson } from '../../std/json.ts'
import { type LimitedResult, runLimited } from '../../std/limited-process.ts'
import { isInside, searchPath } from '../../std/program-search.ts'
import { queueRefs } from '../../sync/queue.ts'
import type { Cli } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { clean, cut } from '../render/text.ts'
import { readStoredConversation } from './conversation.ts'
import type { ExplainRun } from './flags.ts'
import { parseSummaryAnswer, summaryPrompt } from './summary-prompt.ts'

const maxBytes = 4 * 1024 * 1024

export async function generateSummary(
  { cli, repo, objects, flags }: ExplainRun,
  checkpoint: StoredCheckpoint,
): Promise<void> {
  const id = checkpoint.checkpoint
  const session = checkpoint.sessions.at(-1)
  if (session?.summary !== undefined && !flags.force)
    throw new EntireError('exists', `checkpoint ${id} already has a summary (use --force to regenerate)`)
  const prompt = await readPrompt(objects, id, session)
  const { settings, redaction, clock } = systemRecorder(repo, { component: 'explain' })
  const writer = findWriter({ env: cli.env, root: repo.root }, settings.summary, session?.agent)
  if (cli.isTerminal) cli.note(`Asking ${writer.name} for a summary… (Ctrl-C to stop)`)
  const answer = await ask(cli, writer, prompt, settings.summary)
  const summary = parseSummaryAnswer(answer)
  if (summary === undefined)
    throw new EntireError(
      'agent-failed',
      `${writer.name} did not answer with a summary: ${cut(answer, 200)}`,
      {
        hint: 'Nothing was saved. Run the command again, or choose another agent or model in summary_generation of .entire/settings.json.',
      },
    )
  const { json } = await redaction()
  const safe = parseSummary(parseJson(json(JSON.stringify(formatSummary(summary))))) as CheckpointSummary
  const { author } = await readConfig(repo)
  const seconds = Math.floor(clock().getTime() / 1000)
  const ref = await saveSummary(repo, objects, {
    checkpoint: id,
    session: (session as StoredSession).session,
    summary: safe,
    author,
    seconds,
  })
  queueRefs(repo, [ref])
}

async function readPrompt(
  objects: ObjectReader,
  id: string,
  session: StoredSession | undefined,
): Promise<string> {
  const { entries, problem } =
    session === undefined ? { entries: [] } : await readStoredConversation(objects, session, 'checkpoint')
  if (entries.length > 0) return summaryPrompt(entries)
  throw new EntireError(
    'transcript-missing',
    `Checkpoint ${id} has no transcript to summarise${problem ? ` ${clean(problem)}` : ''}.`,
    {
      hint: 'A summary covers the conversation since the previous checkpoint; `--full` shows the whole session.',
    },
  )
}

// Runs in an empty directory, outside the repository, so that its hooks do not record it as a session.
async function ask(
  cli: Cli,
  writer: SummaryWriter,
  prompt: string,
  options: { model?: string; timeoutSeconds: number },
): Promise<string> {
  const empty = mkdtempSync(join(tmpdir(), 'entire-summary-'))
  const cwd = writer.generator.dir ?? empty
  try {
    const [, ...args] = writer.generator.command(options)
    const env = writerEnv(cli.env, writer)
    const ran = await runLimited([writer.program, ...args], {
      cwd,
      env,
      stdin: prompt,
      timeoutMs: options.timeoutSeconds * 1000,
      maxBytes,
    })
    return parseOutput(writer, ran, options.timeoutSeconds)
  } finally {
    rmSync(empty, { recursive: true, force: true })
  }
}

// Without the variables that git, or an agent that runs this command, sets for its children.
function writerEnv(env: Cli['env'], { generator }: SummaryWriter): Cli['env'] {
  const callerVariables = agents.flatMap((agent) => agent.callerEnv)
  const own = Object.entries(env).filter(
    ([name]) => !name.startsWith('GIT_') && !callerVariables.includes(name),
  )
  return { ...Object.fromEntries(own), ...generator.env }
}

function parseOutput({ name, generator }: SummaryWriter, ran: LimitedResult, seconds: number): string {
  const { code, stdout, stderr } = ran
  const failure = describeEnd(ran, seconds)
  if (failure !== undefined)
    throw new EntireError('agent-failed', `${name} ${failure}.`, {
      hint: `Nothing was saved.${ran.timedOut ? ' summary_timeout_seconds in .entire/settings.json gives it more time.' : ''}`,
    })
  try {
    return generator.parseAnswer(stdout.toString('utf8'))
  } catch (error) {
    const why = code === 0 ? messageOf(error) : `exit code ${code}: ${stderr.trim() || messageOf(error)}`
    throw new EntireError('agent-failed', `${name} could not write a summary (${cut(why, 300)}).`, {
      hint: 'Nothing was saved. Run its program yourself: it may require a login.',
    })
  }
}

/** Why the program gave no answer; undefined when it did. */
function describeEnd(
  { timedOut, overflowed, startError, signal }: LimitedResult,
  seconds: number,
): string | undefined {
  if (timedOut) return `did not answer within ${seconds} seconds`
  if (overflowed !== undefined) return 'printed far more than a summary'
  if (startError !== undefined) return `could not be started (${startError})`
  return signal === null ? undefined : 'was stopped'
}

interface SummaryWriter {
  name: string
  generator: TextGenerator
  /** Absolute path of its program. */
  program: string
}

/**
 * The agent in the settings, or else that of the session, or else any installed one that can write summaries.
 */
function findWriter(
  place: ProjectContext,
  { provider }: Settings['summary'],
  sessionAgent: string | undefined,
): SummaryWriter {
  if (provider !== undefined) return namedWriter(place, provider)
  const order = [...agents.filter((agent) => agent.type === sessionAgent), ...agents]
  const writer = order.map((agent) => writerOf(place, agent)).find((found) => found !== undefined)
  if (writer !== undefined) return writer
  throw new EntireError('not-found', 'No agent that can write a summary is installed.', {
    hint: `Install one of these programs, or add it to the PATH: ${programNames().join(', ')}.`,
  })
}

function namedWriter(place: ProjectContext, provider: string): SummaryWriter {
  const agent = agents.find(({ name, generator }) => name === provider && generator !== undefined)
  if (agent === undefined)
    throw invalidValue(
      clean(provider),
      'setting summary_generation.provider',
      useOneOf(agents.filter(({ generator }) => generator !== undefined).map(({ name }) => name)),
      'bad-settings',
    )
  const writer = writerOf(place, agent)
  if (writer !== undefined) return writer
  throw notFound(
    'program',
    agent.generator?.command({})[0] ?? agent.name,
    `The settings select ${agent.type} for summaries. Put its program on the PATH, or change summary_generation.provider.`,
  )
}

// A clone may bring programs of these names, and its settings choose among them.
function writerOf({ env, root }: ProjectContext, { type, generator }: Agent): SummaryWriter | undefined {
  const path = searchPath(env).filter((dir) => !isInside(dir, root))
  const program = generator && Bun.which(generator.command({})[0] as string, { PATH: path.join(delimiter) })
  return generator && program ? { name: type, generator, program } : undefined
}

function programNames(): string[] {
  return agents.flatMap(({ generator }) => generator?.command({})[0] ?? [])
}
