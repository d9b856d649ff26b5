// Counts what goes back and forth, and makes the board that shows it.
import type { ExtensionHost } from './extension-host.ts'
import type { Tap } from './flight-recorder/recorder.ts'
import type { Board } from './status-board.ts'

export function countTraffic() {
  const counts = new Map<string, { heard: number; said: number }>()
  const of = (extension: string) => counts.get(extension) ?? { heard: 0, said: 0 }
  const tap: Tap = (extension, direction) => {
    const { heard, said } = of(extension)
    counts.set(extension, direction === 'in' ? { heard, said: said + 1 } : { heard: heard + 1, said })
  }
  const board = (host: ExtensionHost, cwd: string, at: Date): Board => ({
    pid: process.pid,
    cwd,
    at: at.toISOString(),
    extensions: host.list().map(({ manifest: { name, version }, status }) => {
      const live = host.find(name)
      const { waiting, serving, outboxBytes } = live?.load() ?? { waiting: 0, serving: 0, outboxBytes: 0 }
      const { state = 'stopped', reason = '', restarts = 0, since = at } = status ?? {}
      return {
        name,
        version,
        state,
        reason,
        restarts,
        since: since.toISOString(),
        pid: live?.pid ?? null,
        waiting,
        serving,
        outboxBytes,
        ...of(name),
      }
    }),
  })
  return { tap, board }
}
