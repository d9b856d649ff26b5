// Loads an extension as Pi does, and gives it the events that come in on stdin, one JSON line each. For every
// event that was handled, a line goes out: what the handlers returned, and what the user was shown.
interface Call {
  name: string
  event: Record<string, unknown>
  ctx: {
    cwd: string
    hasUI: boolean
    sessionId: string
    sessionFile?: string
    model?: { id: string }
    parentSession?: string
  }
  /** Pi continues while the handlers are still running. */
  goOn?: boolean
}

type Handler = (event: unknown, ctx: unknown) => unknown

const handlers = new Map<string, Handler[]>()
const { default: register } = await import(process.argv[2] ?? '')
register({
  on: (name: string, handler: Handler) => handlers.set(name, [...(handlers.get(name) ?? []), handler]),
})

async function emit({ name, event, ctx }: Call): Promise<void> {
  const shown: string[] = []
  const context = {
    cwd: ctx.cwd,
    hasUI: ctx.hasUI,
    model: ctx.model,
    ui: { notify: (message: string) => shown.push(message) },
    sessionManager: {
      getSessionId: () => ctx.sessionId,
      getSessionFile: () => ctx.sessionFile,
      getHeader: () => ({ type: 'session', id: ctx.sessionId, parentSession: ctx.parentSession }),
    },
  }
  const returned: unknown[] = []
  for (const handler of handlers.get(name) ?? [])
    returned.push(await handler({ type: name, ...event }, context))
  console.log(
    JSON.stringify({
      name,
      returned: returned.filter((value) => value !== undefined),
      shown,
      session: process.env.ENTIRE_PI_SESSION,
    }),
  )
}

const working: Promise<void>[] = []
let rest = ''
for await (const text of Bun.stdin.stream().pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) {
    const call = JSON.parse(line) as Call
    const handled = emit(call)
    working.push(handled)
    if (call.goOn !== true) await handled
  }
}
await Promise.all(working)

export {}
