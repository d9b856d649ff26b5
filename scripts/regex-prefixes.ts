// Finds the literal texts that a match of a regular expression must start with, by parsing its source.
interface Part {
  prefixes: string[]
  next: number
  /** Whether everything so far was literal, so that what follows belongs to the prefix, too. */
  isOpen: boolean
}

export function literalPrefixes(source: string): string[] {
  return [...new Set(readChoice(source, 0).prefixes)]
}

/** `a|b|c` up to a closing parenthesis or the end. */
function readChoice(source: string, from: number): Part {
  const prefixes: string[] = []
  let next = from
  let isOpen = true
  do {
    const branch = readBranch(source, source[next] === '|' ? next + 1 : next)
    prefixes.push(...branch.prefixes)
    isOpen &&= branch.isOpen
    next = branch.next
  } while (source[next] === '|')
  return { prefixes, next, isOpen }
}

function readBranch(source: string, from: number): Part {
  let prefixes = ['']
  let isOpen = true
  let next = from
  while (next < source.length && source[next] !== '|' && source[next] !== ')') {
    const part = readAtom(source, next)
    const isRepeated = '?*+{'.includes(source[part.next] ?? '.')
    if (isOpen && !isRepeated)
      prefixes = prefixes.flatMap((prefix) => part.prefixes.map((end) => prefix + end))
    isOpen &&= part.isOpen && !isRepeated
    next = part.next
    if (isRepeated) next = skipQuantifier(source, next)
  }
  return { prefixes, next, isOpen }
}

const groupStart = /^\((?:\?(?:<[A-Za-z]+>|:))?/

function readAtom(source: string, at: number): Part {
  const character = source[at]!
  const stop = (next: number): Part => ({ prefixes: [''], next, isOpen: false })
  if (character === '(') {
    const opening = groupStart.exec(source.slice(at))![0]
    const inner = readChoice(source, at + opening.length)
    return /^\(\?(?:<?[=!])/.test(source.slice(at))
      ? stop(inner.next + 1)
      : { ...inner, next: inner.next + 1 }
  }
  if (character === '[') return stop(endOfClass(source, at) + 1)
  if (character === '\\') {
    const escaped = source[at + 1]!
    return /[A-Za-z0-9]/.test(escaped) ? stop(at + 2) : { prefixes: [escaped], next: at + 2, isOpen: true }
  }
  return '.^$'.includes(character) ? stop(at + 1) : { prefixes: [character], next: at + 1, isOpen: true }
}

function endOfClass(source: string, start: number): number {
  let at = start + 1
  while (source[at] !== ']') at += source[at] === '\\' ? 2 : 1
  return at
}

function skipQuantifier(source: string, at: number): number {
  const end = source[at] === '{' ? source.indexOf('}', at) + 1 : at + 1
  return source[end] === '?' ? end + 1 : end
}
