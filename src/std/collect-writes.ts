// Thousands of small pieces for a pipe: each write of its own would cost as much as a large one.
const enough = 256 * 1024
// Copying such a piece would cost more than a write.
const large = 64 * 1024

export interface CollectedWrites {
  send(...parts: (string | Uint8Array)[]): void
  /** Writes what was collected, now. */
  push(): void
}

export function collectWrites(write: (bytes: Uint8Array) => void): CollectedWrites {
  let parts: Uint8Array[] = []
  let size = 0
  const push = () => {
    if (parts.length > 0) write(Buffer.concat(parts))
    parts = []
    size = 0
  }
  return {
    push,
    send(...more) {
      for (const part of more) {
        const bytes = typeof part === 'string' ? Buffer.from(part) : part
        if (bytes.length < large) {
          parts.push(bytes)
          size += bytes.length
          continue
        }
        push()
        write(bytes)
      }
      if (size > enough) push()
    },
  }
}
