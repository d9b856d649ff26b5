// Tells what is purged, and which refs and commits are the program's own.

import { isShadowRef, metadataBranch, notesRef } from '../../checkpoints/layout.ts'
import { isAnyStep } from '../../checkpoints/step.ts'

export type PurgeTarget = { kind: 'secret'; forms: Buffer[] } | { kind: 'checkpoint' | 'session'; id: string }

/** What the history of a ref holds. */
export type OwnedKind = 'checkpoints' | 'checkpoint' | 'links' | 'steps' | 'removed steps'

/** Undefined for refs of the user. */
export function ownedKind(ref: string): OwnedKind | undefined {
  const plain = ref.replace(/^refs\/(?:entire-remotes\/[^/]+|remotes\/[^/]+(?=\/entire\/))\//, (start) =>
    start.startsWith('refs/remotes') ? 'refs/heads/' : 'refs/',
  )
  if (plain === notesRef) return 'links'
  if (branches.includes(plain) || /^refs\/(?:entire\/checkpoints\/v2|entire-fetch-tmp)\//.test(plain))
    return 'checkpoints'
  if (/^refs\/entire\/checkpoints\/\w\w\/\w+$/.test(plain)) return 'checkpoint'
  if (plain.startsWith('refs/entire/removed/')) return 'removed steps'
  return isShadowRef(plain) || /^refs\/entire\/(?:trash|undo)\//.test(plain) ? 'steps' : undefined
}

const branches = [metadataBranch, 'entire/sessions/v1', 'entire/sessions'].map((name) => `refs/heads/${name}`)

export function isCopy(ref: string): boolean {
  return /^refs\/(?:remotes|entire-remotes|entire-fetch-tmp)\//.test(ref)
}

// Commits of the program that no ref leads to any more. Merges and links may be the user's own.
const ownSubject =
  /\n\n(?:Checkpoint: \w+|Finalize transcript for Checkpoint: \w+|Merge remote session logs|Update summary for checkpoint \w+|Link \w{12} to checkpoint \w+|Removed by entire \w+|Steps whose branch was removed|Work tree before (?:rewind|reset|undo|redo))(?: \(session: [^\n]*\))?\n/

/** What a commit holds that the program made; undefined for one of the user. */
export function kindOfCommit(text: string): OwnedKind | undefined {
  const subject = ownSubject.exec(text)
  if (isAnyStep(text)) return 'removed steps'
  if (subject?.index !== text.indexOf('\n\n')) return undefined
  if (subject[0].includes('\n\nLink ')) return 'links'
  if (/\n\n(?:Removed|Steps|Work tree)/.test(subject[0])) return 'steps'
  return /\b[0-9A-Z]{26}\b/.test(subject[0]) ? 'checkpoint' : 'checkpoints'
}

/** The forms in which a text may be stored: as it is, and inside of JSON strings, up to three levels deep. */
export function formsOf(secret: string): Buffer[] {
  const forms = new Set([secret])
  for (let level = 0; level < 3; level += 1)
    for (const form of [...forms])
      for (const write of escapes) forms.add(write(JSON.stringify(form).slice(1, -1)))
  // The longest first: a shorter one may be a part of it.
  return [...forms].sort((a, b) => b.length - a.length).map((form) => Buffer.from(form))
}

const unicode = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What writers of JSON escape besides what they must. */
const escapes: ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('/', '\\/'),
  (text) => text.replace(/[<>&\u2028\u2029]/g, unicode),
  (text) => text.replace(/[^\x00-\x7f]/g, unicode),
]

const replacement = 'REDACTED'

/** Undefined when the text does not contain the secret. */
export function withoutSecret(content: Buffer, forms: readonly Buffer[]): Buffer | undefined {
  if (!forms.some((form) => content.includes(form))) return undefined
  // In a binary file what follows stays where it is.
  const isBinary = content.includes(0)
  let text = content.toString('latin1')
  for (const form of forms)
    text = text.replaceAll(form.toString('latin1'), isBinary ? '*'.repeat(form.length) : replacement)
  return Buffer.from(text, 'latin1')
}
