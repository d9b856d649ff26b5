// Waits until session files may have changed. The system reports changes where it can; polling finds the
// others, such as on network drives and in directories that do not exist yet.

import { type FSWatcher, watch } from 'node:fs'
import { exists } from '../../std/file.ts'

const usualTicks = { reported: 1_000, unreported: 250 }
// Agents write in bursts; this is how long to wait for the end of one.
const settleMs = 25

export interface Waker {
  /** Directories whose changes wake the waker. Called again for those that do not exist yet. */
  attend(dirs: string[]): void
  /** Resolves at the next change, tick or call of `wake`. */
  next(): Promise<void>
  wake(): void
  close(): void
}

interface WakerParts {
  subscribe?: typeof watchDir
  /** How often to look, in milliseconds: where the system reports changes, and where it does not. */
  ticks?: typeof usualTicks
}

export function createWaker(maxWaitMs: number, parts: WakerParts = {}): Waker {
  const { subscribe = watchDir, ticks = usualTicks } = parts
  const watchers = new Map<string, FSWatcher | undefined>()
  let isAwake = false
  let resolveNext: (() => void) | undefined
  const wake = () => {
    isAwake = true
    resolveNext?.()
  }
  const drop = (dir: string) => {
    watchers.get(dir)?.close()
    watchers.set(dir, undefined)
  }
  return {
    wake,
    attend(dirs) {
      for (const dir of dirs) {
        // A watcher of a removed directory reports nothing, even after the directory is created again.
        if (!exists(dir)) drop(dir)
        else if (watchers.get(dir) === undefined)
          watchers.set(
            dir,
            subscribe(dir, wake, () => drop(dir)),
          )
      }
    },
    async next() {
      const pauseMs = [...watchers.values()].every((watcher) => watcher !== undefined)
        ? ticks.reported
        : ticks.unreported
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          resolveNext = resolve
          setTimeout(resolve, Math.min(pauseMs, maxWaitMs))
        })
      }
      resolveNext = undefined
      if (isAwake) await Bun.sleep(settleMs)
      isAwake = false
    },
    close() {
      for (const dir of watchers.keys()) drop(dir)
    },
  }
}

function watchDir(dir: string, wake: () => void, onError: () => void): FSWatcher | undefined {
  try {
    return watch(dir, { persistent: false }, wake).on('error', onError)
  } catch {
    return undefined
  }
}
