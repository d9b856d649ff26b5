// Takes out of a text what is nobody's business: secrets, credentials in addresses, and whose machine it is.
import { realpathSync } from 'node:fs'
import type { Redaction } from '../../session/work.ts'

export interface Scrubbing {
  redaction: Redaction
  home: string
  /** Of the person at the machine. */
  user: string | undefined
  /** Top of the work tree. */
  root: string
}

export function scrub(text: string, kind: 'json' | 'text', { redaction, home, user, root }: Scrubbing): string {
  const plain = redaction[kind](text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/"'@]*@/gi, '$1'))
  const places: [place: string, name: string][] = [
    [root, '<repository>'],
    [real(home), '~'],
    [home, '~'],
  ]
  const moved = places.filter(([place]) => place.length > 1).reduce((rest, [place, name]) => rest.replaceAll(place, name), plain)
  // Not as a part of another word; `root` is a word of its own that says nothing about anybody.
  if (user === undefined || user.length < 2 || user === 'root') return moved
  return moved.replace(new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(user)}(?![A-Za-z0-9])`, 'gi'), '~')
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
