// Finds the literal texts a regular expression must start with, by reading its source up to the first thing that is not literal.
interface Part {
  prefixes: string[]
  next: number
  /** Everything so far was literal, so what follows belongs to the prefix too. */
  open: boolean
}

export function literalPrefixes(source: string): string[] {
  return [...new Set(readChoice(source, 0).prefixes)]
}

/** `a|b|c` up to a closing parenthesis or the end. */
function readChoice(source: string, from: number): Part {
  const prefixes: string[] = []
  let next = from
  let open = true
  do {
    const branch = readBranch(source, source[next] === '|' ? next + 1 : next)
    prefixes.push(...branch.prefixes)
    open &&= branch.open
    next = branch.next
  } while (source[next] === '|')
  return { prefixes, next, open }
}

function readBranch(source: string, from: number): Part {
  let prefixes = ['']
  let open = true
  let next = from
  while (next < source.length && source[next] !== '|' && source[next] !== ')') {
    const part = readAtom(source, next)
    const repeated = '?*+{'.includes(source[part.next] ?? '.')
    if (open && !repeated) prefixes = prefixes.flatMap((prefix) => part.prefixes.map((end) => prefix + end))
    open &&= part.open && !repeated
    next = part.next
    if (repeated) next = skipQuantifier(source, next)
  }
  return { prefixes, next, open }
}

const groupStart = /^\((?:\?(?:<[A-Za-z]+>|:))?/

function readAtom(source: string, at: number): Part {
  const character = source[at]!
  const stop = (next: number): Part => ({ prefixes: [''], next, open: false })
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
    return /[A-Za-z0-9]/.test(escaped) ? stop(at + 2) : { prefixes: [escaped], next: at + 2, open: true }
  }
  return '.^$'.includes(character) ? stop(at + 1) : { prefixes: [character], next: at + 1, open: true }
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
