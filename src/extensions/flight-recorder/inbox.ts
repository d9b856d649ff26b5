// What an extension said and nobody has looked at yet, and those who wait for something of it.
import { type Incoming, parseLine } from '../../protocol/extension-line.ts'

type Fits = (said: Incoming) => boolean

interface Waiter {
  fits: Fits[]
  give(said: Incoming): void
}

export function createInbox() {
  const waiting: Incoming[] = []
  const waiters: Waiter[] = []
  const left: (() => void)[] = []
  let closed = false

  return {
    push(line: string): void {
      const said = parseLine(line)
      if (!said) return
      const at = waiters.findIndex(({ fits }) => fits.some((fit) => fit(said)))
      if (at < 0) waiting.push(said)
      else waiters.splice(at, 1)[0]?.give(said)
    },
    /** Takes it only when it is there already. */
    find(fit: Fits): Incoming | undefined {
      const at = waiting.findIndex(fit)
      return at < 0 ? undefined : waiting.splice(at, 1)[0]
    },
    /** The best of what is there, or the first that comes and fits in any way. Undefined when none does in time. */
    async take(fits: Fits[], withinMs: number): Promise<Incoming | undefined> {
      for (const fit of fits) {
        const said = this.find(fit)
        if (said) return said
      }
      if (closed) return undefined
      return await new Promise((resolve) => {
        const waiter: Waiter = { fits, give: done }
        const timer = setTimeout(done, withinMs, undefined)
        function done(said: Incoming | undefined): void {
          clearTimeout(timer)
          if (waiters.includes(waiter)) waiters.splice(waiters.indexOf(waiter), 1)
          resolve(said)
        }
        waiters.push(waiter)
        left.push(() => done(undefined))
      })
    },
    /** Nothing more will come. What is on its way has a moment. */
    close(): void {
      setTimeout(() => {
        closed = true
        for (const leave of left) leave()
      }, 50)
    },
    isClosed: () => closed,
    rest: (): Incoming[] => [...waiting],
  }
}
