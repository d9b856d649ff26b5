// Creates the recorder with the real clock, randomness, log file and streams.

import { homedir } from 'node:os'
import { agentCards, loadAgentByType, loadAgents } from '../agents/index.ts'
import type { Repo } from '../git/repo.ts'
import type { Settings } from '../model/settings.ts'
import type { Recorder, Redaction } from '../sessions/event-work.ts'
import { logFile } from '../sessions/places.ts'
import { readUsableSettings, type UsableSettings } from '../settings/read.ts'
import { fileLog, type Log, type LogFields, parseLogLevel, startTrace } from '../std/log.ts'
import { systemRandom } from '../std/random.ts'
import { systemClock } from '../std/time.ts'
import { version } from '../std/version.ts'
import { hookProgram, programPath } from './context.ts'
import { clean, cleanLines } from './render/text.ts'
import { write } from './streams.ts'

export function systemRecorder(
  repo: Repo,
  context: LogFields,
  { settings, problem }: UsableSettings = readUsableSettings(repo.root),
): Recorder {
  const level = parseLogLevel(process.env.ENTIRE_LOG_LEVEL) ?? settings.logLevel
  const log = fileLog(logFile(repo), level, context)
  if (problem !== undefined) log.write('error', problem.message)
  let redaction: Promise<Redaction> | undefined
  return {
    repo,
    settings,
    env: process.env,
    home: process.env.HOME ?? homedir(),
    command: hookProgram(settings, programPath()),
    program: programPath(),
    cliVersion: version,
    clock: systemClock,
    random: systemRandom,
    log,
    trace: startTrace(),
    // Ids, prompts, paths and messages of plugins come from payloads.
    say: (line) => write(2, `${cleanLines(line)}\n`),
    respond: (text) => write(1, text),
    agentCards,
    findAgentByType: loadAgentByType,
    loadAgents,
    redaction: () => {
      redaction ??= loadRedaction(settings, log)
      return redaction
    },
  }
}

async function loadRedaction(settings: Settings, log: Log): Promise<Redaction> {
  const { createRedactor, redactName, redactText, redactTranscript } = await import('../redact/redact.ts')
  const redactor = createRedactor(settings.redaction, (label) => reportOverdue(label, log))
  return {
    json: (text, found) =>
      redactTranscript(text, found === undefined ? redactor : { ...redactor, report: found }),
    text: (text) => redactText(text, redactor),
    name: (text) => redactName(text),
  }
}

function reportOverdue(label: string, log: Log): void {
  const problem = `The redaction rule "${clean(label)}" takes too long. Texts that it could not be tried on are stored as REDACTED.`
  log.write('warn', problem)
  write(2, `[entire] ${problem}\n`)
}
