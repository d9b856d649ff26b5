// Where the time of one run went, phase by phase; `entire doctor trace` shows it.
export interface Trace {
  /** Ends a phase: the time since the last mark is its. */
  mark(phase: string): void
  /** Whole milliseconds since the start of the process. */
  total(): number
  /** `start=9 lock=0 status=12`; phases with the same name are summed. */
  text(): string
}

/** Begins with the start of the process, whose first phase is loading the program. */
export function startTrace(now: () => number = () => performance.now()): Trace {
  const phases = new Map<string, number>()
  let last = 0
  const trace: Trace = {
    mark(phase) {
      const time = now()
      phases.set(phase, (phases.get(phase) ?? 0) + time - last)
      last = time
    },
    total: () => Math.round(now()),
    text: () => [...phases].map(([phase, ms]) => `${phase}=${Math.round(ms)}`).join(' '),
  }
  trace.mark('start')
  return trace
}
