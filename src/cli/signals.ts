// Ctrl-C, a closed terminal and `kill` end a watcher in good order; whoever cannot wait for that sends a second one.

const reasons = {
  SIGINT: 'Stopped.',
  SIGTERM: 'Stopped: asked to end.',
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
