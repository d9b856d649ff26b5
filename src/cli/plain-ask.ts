// One question, one line of answer: for screen readers, dumb terminals and pipes.
import { readSync } from 'node:fs'
import { isErrno } from '../std/errors.ts'
import type { Cli } from './context.ts'

/** Undefined at the end of the input. */
export async function askLine(cli: Cli, question: string): Promise<string | undefined> {
  cli.process.stderr.write(`${question}: `)
  const bytes: number[] = []
  const byte = Buffer.alloc(1)
  for (;;) {
    const read = readByte(byte)
    if (read === 0) {
      cli.note('')
      return undefined
    }
    if (read === 1 && byte[0] === 10) return Buffer.from(bytes).toString('utf8').trim()
    if (read === 1) bytes.push(byte[0] as number)
    else await Bun.sleep(10)
  }
}

// -1: nothing there yet, on an input somebody made non-blocking.
function readByte(byte: Buffer): number {
  try {
    return readSync(0, byte)
  } catch (error) {
    if (isErrno(error, 'EAGAIN')) return -1
    if (isErrno(error, 'EOF')) return 0
    throw error
  }
}
