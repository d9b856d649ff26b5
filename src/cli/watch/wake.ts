// Waits until there may be something to read. The system reports changes where it can; a look every now and then finds what it does not
// report: on network drives, in directories that are not there yet.
import { type FSWatcher, watch } from 'node:fs'
import { exists } from '../../std/file.ts'

const tickMs = { reported: 1_000, unreported: 250 }
// Agents write in bursts; each look takes in all of it.
const settleMs = 25

export interface Waker {
  /** Directories whose changes wake us; asked for again until they are there. */
  attend(dirs: string[]): void
  /** Resolves at the next change, tick or call of `wake`. */
  next(): Promise<void>
  wake(): void
  close(): void
}

/** `longest`: how long to wait at most. */
export function createWaker(longest: number, subscribe = watchDir): Waker {
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
        // A directory that was replaced reports nothing any more.
        if (!exists(dir)) drop(dir)
        else if (watchers.get(dir) === undefined)
          watchers.set(
            dir,
            subscribe(dir, wake, () => drop(dir)),
          )
      }
    },
    async next() {
      const pause = [...watchers.values()].every((watcher) => watcher !== undefined) ? tickMs.reported : tickMs.unreported
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          resolveNext = resolve
          setTimeout(resolve, Math.min(pause, longest))
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

export function watchDir(dir: string, wake: () => void, lost: () => void): FSWatcher | undefined {
  try {
    return watch(dir, { persistent: false }, wake).on('error', lost)
  } catch {
    return undefined
  }
}
