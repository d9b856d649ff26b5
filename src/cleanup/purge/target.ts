// Tells what is purged, and which refs and commits are the program's own.

import { isShadowRef, metadataBranch, notesRef } from '../../checkpoints/layout.ts'
import { isAnyStep } from '../../checkpoints/step.ts'

export type PurgeTarget = { kind: 'secret'; secret: Secret } | { kind: 'checkpoint' | 'session'; id: string }

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

/** A text to look for in bytes, whole or in overlapping pieces. */
export interface Sought {
  /** How many bytes it takes at most. */
  longest: number
  isIn(content: Buffer): boolean
}

export interface Secret extends Sought {
  /** Finds it in a text of latin1. */
  pattern: RegExp
}

/** An id, which stands nowhere but as it is. */
export function soughtId(id: string): Sought {
  const bytes = Buffer.from(id)
  return { longest: bytes.length, isIn: (content) => content.includes(bytes) }
}

const backslash = 92

/** A secret is found as it is, and in strings of JSON, however they are escaped and nested. */
export function secretOf(text: string): Secret {
  const plain = Buffer.from(text)
  // A run of backslashes is one piece: each level of JSON doubles the whole of it.
  const pieces = text.match(/\\+|[^\\]/gsu) ?? []
  const pattern = new RegExp(pieces.map(formsOf).join(''), 'g')
  return {
    // Both halves of a character may be escaped.
    longest: text.length * (maxEscapes + 'u0000'.length),
    pattern,
    isIn: (content) =>
      content.includes(plain) ||
      (content.includes(backslash) && content.toString('latin1').search(pattern) !== -1),
  }
}

// Six strings of JSON inside of each other.
const maxEscapes = 63
const runs = [32, 16, 8, 4, 2, 1]

/** What may stand for a character, or for a run of backslashes, as an expression for bytes in latin1. */
function formsOf(piece: string): string {
  if (piece.startsWith('\\'))
    return `(?:(?:${escaped('\\')}){${piece.length}}|${runs.map((run) => `\\\\{${run * piece.length}}`).join('|')})`
  const bytes = [...Buffer.from(piece)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  const name = shortEscapes[piece]
  const forms = [bytes, ...(name === undefined ? [] : [`\\\\{1,${maxEscapes}}${name}`]), escaped(piece)]
  return `(?:${forms.join('|')})`
}

const shortEscapes: Record<string, string> = {
  '"': '"',
  '/': '/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
}

function escaped(char: string): string {
  const units = Array.from({ length: char.length }, (_, at) => char.charCodeAt(at))
  return units
    .map((unit) => {
      const digits = unit.toString(16).padStart(4, '0')
      return `\\\\{1,${maxEscapes}}u${digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`
    })
    .join('')
}

const replacement = 'REDACTED'

/** Undefined when the text does not contain the secret. */
export function withoutSecret(content: Buffer, secret: Secret): Buffer | undefined {
  if (!secret.isIn(content)) return undefined
  // In a binary file what follows stays where it is.
  const isBinary = content.includes(0)
  const text = content.toString('latin1').replace(secret.pattern, (found, at: number, whole: string) => {
    if (isBinary) return '*'.repeat(found.length)
    // A backslash before it must not escape the first letter of what takes its place.
    let before = at
    while (whole.charCodeAt(before - 1) === backslash) before -= 1
    return (at - before) % 2 === 0 ? replacement : `\\${replacement}`
  })
  return Buffer.from(text, 'latin1')
}
