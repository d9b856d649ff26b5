// Replays a captured session of Pi: the installed extension gets the events of Pi, the tools do what they
// did, and the session file grows as it did.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { asArray, asObject, type JsonObject } from '../../src/std/json.ts'
import type { RecordedRepo } from './recorded-repo.ts'
import { type PiContext, scriptedPi } from './scripted-pi.ts'

export interface PiReplay extends AsyncDisposable {
  session: string
  /** Where this repository's Pi has the session. */
  transcript: string
  /** Plays on up to and including the event of this name. */
  to(name: string): Promise<void>
  rest(): Promise<void>
}

interface Captured {
  name: string
  event: JsonObject
  ctx: PiContext & { fileLines: number }
}

const fixtures = join(import.meta.dir, '../fixtures/agents/pi')

export function replayPi(repo: RecordedRepo, scenario: string): PiReplay {
  const dir = join(fixtures, scenario)
  const home = join(repo.base, 'home')
  const slug = `--${repo.root.slice(1).replaceAll('/', '-')}--`
  const here = (text: string) =>
    text
      .replaceAll('--home-dev-app--', slug)
      .replaceAll('/home/dev/app', repo.root)
      .replaceAll('/home/dev', home)
  const events = readdirSync(join(dir, 'hooks'))
    .toSorted()
    .map((file): Captured => {
      const { event, ctx } = JSON.parse(here(readFileSync(join(dir, 'hooks', file), 'utf8')))
      return { name: basename(file, '.json'), event, ctx }
    })
  const { sessionId: session, sessionFile: transcript = '' } = (events[0] as Captured).ctx
  const final = here(
    readFileSync(join(dir, 'home/.pi/agent/sessions/--home-dev-app--', basename(transcript)), 'utf8'),
  ).split(/(?<=\n)/)
  const resultOf = (call: unknown) =>
    events.find(({ event }) => event.type === 'tool_result' && event.toolCallId === call)?.event
  const pi = scriptedPi(join(repo.root, '.pi/extensions/entire/index.ts'), { cwd: repo.root, env: repo.env })
  let next = 0

  const grow = (lines: number) => {
    const now = existsSync(transcript) ? readFileSync(transcript, 'utf8') : ''
    const text = final.slice(0, lines).join('')
    if (!text.startsWith(now)) throw new Error(`${transcript} is not a beginning of what was captured`)
    mkdirSync(dirname(transcript), { recursive: true })
    if (text.length > now.length) writeFileSync(transcript, text)
  }

  async function play({ event, ctx }: Captured): Promise<void> {
    grow(ctx.fileLines)
    const { returned } = await pi.emit(String(event.type), event, ctx)
    if (returned.length > 0) throw new Error(`${event.type} was answered with ${JSON.stringify(returned)}`)
    if (event.type !== 'tool_call') return
    for (const { name, input } of [
      ...callsOf(resultOf(event.toolCallId)),
      { name: String(event.toolName), input: asObject(event.input) },
    ])
      await tools[name]?.(repo, input ?? {}, session)
  }

  async function playWhile(goesOn: (name: string) => boolean): Promise<void> {
    for (let more = true; more && next < events.length; next += 1) {
      const captured = events[next] as Captured
      await play(captured)
      more = goesOn(captured.name)
    }
    if (next === events.length) await pi.quit()
  }

  return {
    session,
    transcript,
    to(name) {
      if (!events.slice(next).some((event) => event.name === name))
        throw new Error(`${scenario} has no event ${name} to come`)
      return playWhile((played) => played !== name)
    },
    rest: () => playWhile(() => true),
    [Symbol.asyncDispose]: () => pi[Symbol.asyncDispose](),
  }
}

/** What subagents did, from the result of the tool that started them. */
function callsOf(result: JsonObject | undefined): { name: string; input: JsonObject | undefined }[] {
  const messages = asArray(asObject(result?.details)?.results).flatMap((one) =>
    asArray(asObject(one)?.messages),
  )
  return messages
    .flatMap((message) => asArray(asObject(message)?.content))
    .map(asObject)
    .filter((part) => part?.type === 'toolCall')
    .map((call) => ({ name: String(call?.name), input: asObject(call?.arguments) }))
}

type Tool = (repo: RecordedRepo, input: JsonObject, session: string) => Promise<void> | void

const tools: Record<string, Tool> = {
  write: (_repo, input) => writeFileSync(String(input.path), String(input.content)),
  edit(_repo, input) {
    const path = String(input.path)
    const edits = asArray(input.edits).map(asObject)
    const edited = edits.reduce(
      (text, edit) => text.replace(String(edit?.oldText), () => String(edit?.newText)),
      readFileSync(path, 'utf8'),
    )
    writeFileSync(path, edited)
  },
  async bash(repo, input, session) {
    const env = { ...repo.env, PI_CODING_AGENT: 'true', ENTIRE_PI_SESSION: session }
    const ran = await repo.run(['bash', '-c', String(input.command)], { env })
    if (ran.code !== 0) throw new Error(`${input.command} gave ${ran.code}: ${ran.stderr}`)
  },
}
