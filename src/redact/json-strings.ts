// Finds the strings of a valid JSON text without decoding it, so that all other bytes can stay as they are.
import { isMediaType, isSealedKey, isSkippedKey, partOfPair, roleOfKey } from './credentials.ts'
import type { Span } from './rule.ts'

export interface JsonString {
  /** From the opening quote to just behind the closing one. */
  start: number
  end: number
  /** What its value is called. */
  key: string | undefined
  /** A key, an id or a path: looks like a secret by chance, so only what a rule recognises is one. */
  isName: boolean
  /** A password beside a host and a user, which is secret whatever it looks like. */
  password: boolean
}

interface Frame {
  array: boolean
  key: string | undefined
  /** The name of an option that is the previous item of a list, as in `["--password", "x"]`. */
  option: string | undefined
  first: number
  media: boolean
  host: boolean
  user: boolean
  passwords: JsonString[]
  label: string | undefined
  values: JsonString[]
}

/** A shorter key cannot hold a secret that a rule recognises. */
const shortestKey = 12

const structure = /["{}[\],]/g

export function findJsonStrings(text: string, start: number, end: number): JsonString[] {
  const found: JsonString[] = []
  const frames: Frame[] = []
  let frame: Frame | undefined
  let expectsKey = false
  for (let at = nextStructure(text, start); at !== -1 && at < end; at = nextStructure(text, at)) {
    const character = text[at]!
    at += 1
    if (character === '"') {
      const close = endOfString(text, at)
      if (frame !== undefined && expectsKey) {
        frame.key = decodeString(text, at - 1, close)
        expectsKey = false
        if (close - at > shortestKey)
          found.push({ start: at - 1, end: close, key: undefined, isName: true, password: false })
      } else addValue(found, frame, { start: at - 1, end: close }, text)
      at = close
    } else if (character === ',') expectsKey = frame?.array === false
    else if (character === '{' || character === '[') {
      frame = openFrame(character === '[', frame, found.length)
      frames.push(frame)
      expectsKey = !frame.array
    } else {
      const closed = frames.pop()
      if (closed) closeFrame(closed, found)
      frame = frames.at(-1)
      expectsKey = false
    }
  }
  return found
}

function nextStructure(text: string, from: number): number {
  structure.lastIndex = from
  return structure.test(text) ? structure.lastIndex - 1 : -1
}

function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
  }
}

/** The value of the JSON string between two quotes. */
export function decodeString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner
}

/**
 * Where in the JSON text the character of a string is that begins at `from` and has this place when decoded. Goes on
 * from the place before, so that many places in order take no longer than one.
 */
export function encodedPlaces(text: string, from: number): (place: number) => number {
  let [decoded, at] = [0, from]
  return (place) => {
    if (place < decoded) [decoded, at] = [0, from]
    for (; decoded < place; decoded++) {
      if (text[at] !== '\\') at += 1
      else at += text[at + 1] === 'u' ? 6 : 2
    }
    return at
  }
}

/** The items of a list count as values of the key of the list; an object has its own keys. */
function openFrame(array: boolean, outer: Frame | undefined, first: number): Frame {
  return {
    array,
    key: array ? outer?.key : undefined,
    option: undefined,
    first,
    media: false,
    host: false,
    user: false,
    passwords: [],
    label: undefined,
    values: [],
  }
}

function addValue(found: JsonString[], frame: Frame | undefined, { start, end }: Span, text: string): void {
  const key = frame?.option ?? frame?.key
  if (frame?.array) frame.option = optionIn(text, start, end)
  const value = { start, end, key, isName: key !== undefined && isSkippedKey(key), password: false }
  if (frame?.array === false && key !== undefined) addMember(frame, key, value, text)
  if (key === undefined || !isSealedKey(key)) found.push(value)
}

const longestOption = 60

function optionIn(text: string, start: number, end: number): string | undefined {
  const isOption = text[start + 1] === '-' && end - start <= longestOption
  return isOption ? decodeString(text, start, end).replace(/^-{1,2}/, '') : undefined
}

function addMember(frame: Frame, key: string, value: JsonString, text: string): void {
  if (key === 'type') frame.media ||= isMediaType(decodeString(text, value.start, value.end))
  const part = partOfPair(key)
  if (part === 'label') frame.label = decodeString(text, value.start, value.end)
  else if (part === 'value') frame.values.push(value)
  const role = roleOfKey(key)
  if (role === 'password') frame.passwords.push(value)
  else if (role !== undefined) frame[role] = true
}

function closeFrame(frame: Frame, found: JsonString[]): void {
  if (frame.media) found.length = frame.first
  else if (frame.host && frame.user) for (const value of frame.passwords) value.password = true
  for (const value of frame.values) value.key = frame.label ?? value.key
}
