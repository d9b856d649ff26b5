// Lets signals end a long-running command in order; a second signal ends it at once.

const reasons = {
  SIGINT: 'Stopped.',
  SIGTERM: 'Stopped: terminated by a signal.',
  SIGHUP: 'Stopped: the terminal was closed.',
} as const

export interface StopSignal {
  reason(): string | undefined
  [Symbol.dispose](): void
}

export function listenForStop(wake: () => void): StopSignal {
  let reason: string | undefined
  const handlers = Object.entries(reasons).map(([signal, text]) => {
    const handle = () => {
      if (reason !== undefined) process.exit(130)
      reason = text
      wake()
    }
    process.on(signal, handle)
    return { signal, handle }
  })
  return {
    reason: () => reason,
    [Symbol.dispose]: () => {
      for (const { signal, handle } of handlers) process.off(signal, handle)
    },
  }
}
