// What a person sees of a failure: what happened and what to do next. A bug keeps its stack, because that is what to do next.
import { EntireError } from '../../std/errors.ts'
import { cleanLines } from './text.ts'

export function formatError(error: unknown, colour = false): string {
  if (error instanceof EntireError) return formatFailure(error.message, error.hint, colour)
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return formatFailure(`This is a bug in entire. ${stack}`, 'Please report it with the lines above.', colour)
}

// Stricli paints the whole text red; only the label should be. What failed may bear a name that a stranger gave it.
export function formatFailure(message: string, hint: string | undefined, colour = false): string {
  const plain = colour ? '\x1b[39m\x1b[22m' : ''
  return `error:${plain} ${cleanLines(message)}${hint === undefined ? '' : `\nhint: ${cleanLines(hint)}`}`
}
