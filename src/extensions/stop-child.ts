// Ends the process of an extension, whatever it does and whoever holds its pipes. It never hangs.
import type { LongChild } from '../std/child-process.ts'
import type { Transport } from './transport.ts'
import { within } from './within.ts'

/** Long enough to write a file, short enough for somebody who wants to quit. */
const graceMs = 500
const lastMs = 2000

export async function stopChild(child: LongChild, transport: Transport): Promise<void> {
  transport.close()
  if (!(await within(graceMs, child.exited))) {
    child.kill('SIGTERM')
    if (!(await within(graceMs, child.exited))) child.kill('SIGKILL')
  }
  await within(lastMs, child.exited)
  transport.destroy()
}
