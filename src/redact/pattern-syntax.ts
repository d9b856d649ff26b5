// Parses the expressions of the settings: the syntax of JavaScript without the flag `u`, except for
// back-references, repeats of what can be empty, and looking back at texts of different lengths.

export type Node =
  | { kind: 'one'; test: (code: number) => boolean }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'choice'; parts: Node[] }
  | { kind: 'repeat'; inner: Node; least: number; most: number | undefined; lazy: boolean }
  | { kind: 'assert'; test: (text: string, at: number) => boolean }
  | { kind: 'look'; inner: Node; ahead: boolean; negative: boolean; width: number }

export function parsePattern(source: string, ignoreCase: boolean): Node {
  // Reports what is not an expression in the words of JavaScript.
  new RegExp(source)
  const parser = new Parser(source, ignoreCase)
  return parser.parseChoice()
}

class Parser {
  #at = 0

  constructor(
    readonly source: string,
    readonly ignoreCase: boolean,
  ) {}

  parseChoice(): Node {
    const parts: Node[] = [this.#parseSequence()]
    while (this.#take('|')) parts.push(this.#parseSequence())
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'choice', parts }
  }

  #parseSequence(): Node {
    const parts: Node[] = []
    while (this.#at < this.source.length && !/[|)]/.test(this.source[this.#at] as string))
      parts.push(this.#parseRepeat())
    return { kind: 'sequence', parts }
  }

  #parseRepeat(): Node {
    const inner = this.#parseAtom()
    const rest = this.source.slice(this.#at, this.#at + 40)
    const [quantifier = '', kind = '', least = '', comma, most] =
      /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})/.exec(rest) ?? []
    if (quantifier === '') return inner
    this.#at += quantifier.length
    const lazy = this.#take('?')
    if (canBeEmpty(inner)) throw new SyntaxError('it repeats something that can be empty')
    const [from, to] = bounds[kind] ?? [
      Number(least),
      comma === undefined ? Number(least) : most ? Number(most) : undefined,
    ]
    return { kind: 'repeat', inner, least: from, most: to, lazy }
  }

  #parseAtom(): Node {
    const character = this.source[this.#at] as string
    this.#at += 1
    if (character === '(') return this.#parseGroup()
    if (character === '[') return this.#parseClass()
    if (character === '^') return { kind: 'assert', test: (_text, at) => at === 0 }
    if (character === '$') return { kind: 'assert', test: (text, at) => at === text.length }
    if (character === '.') return { kind: 'one', test: (code) => !isLineEnd(code) }
    if (character === '\\') return this.#parseEscape()
    return this.#literal(character.charCodeAt(0))
  }

  #parseGroup(): Node {
    const [opening = '', kind = ''] = /^\?(?:(:|<?[=!])|<[^>]*>)/.exec(this.source.slice(this.#at)) ?? []
    this.#at += opening.length
    const inner = this.parseChoice()
    if (!this.#take(')')) throw new SyntaxError('a group is not closed')
    if (!/[=!]/.test(kind)) return inner
    const ahead = !kind.startsWith('<')
    const width = ahead ? 0 : widthOf(inner)
    if (width === undefined) throw new SyntaxError('it looks back at texts of different lengths')
    return { kind: 'look', inner, ahead, negative: kind.endsWith('!'), width }
  }

  #parseEscape(): Node {
    const character = this.source[this.#at] as string
    if (character === 'b' || character === 'B') {
      this.#at += 1
      return { kind: 'assert', test: (text, at) => isBoundary(text, at) === (character === 'b') }
    }
    if (/[1-9k]/.test(character)) throw new SyntaxError('it refers back to a group')
    return this.#readTest()
  }

  /** An escape, behind its backslash, as a test of one character. */
  #readTest(): Node {
    const character = this.source[this.#at] as string
    // The classes of JavaScript itself: these expressions see a single character.
    if (/[dDwWsS]/.test(character)) {
      this.#at += 1
      return { kind: 'one', test: remembered(new RegExp(`^\\${character}$`)) }
    }
    return this.#literal(this.#readEscapedCode())
  }

  #readEscapedCode(): number {
    const [text = ''] =
      /^(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|c[A-Za-z]|[\s\S])/.exec(this.source.slice(this.#at)) ?? []
    this.#at += text.length
    if (/^[xu]./.test(text)) return Number.parseInt(text.slice(1), 16)
    if (/^c./.test(text)) return text.charCodeAt(1) % 32
    return controls[text] ?? text.charCodeAt(0)
  }

  #literal(code: number): Node {
    if (!this.ignoreCase) return { kind: 'one', test: (each) => each === code }
    const folded = fold(code)
    return { kind: 'one', test: (each) => fold(each) === folded }
  }

  // The class is tested by the engine of JavaScript, on a single character.
  #parseClass(): Node {
    const start = this.#at - 1
    for (; this.source[this.#at] !== ']'; this.#at += 1) if (this.source[this.#at] === '\\') this.#at += 1
    this.#at += 1
    const text = this.source.slice(start, this.#at)
    return { kind: 'one', test: remembered(new RegExp(`^${text}$`, this.ignoreCase ? 'i' : '')) }
  }

  #take(text: string): boolean {
    if (!this.source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }
}

const bounds: Record<string, [number, number | undefined]> = {
  '*': [0, undefined],
  '+': [1, undefined],
  '?': [0, 1],
}
const controls: Record<string, number> = { n: 10, r: 13, t: 9, v: 11, f: 12, '0': 0 }

/** Asks an expression about each character once. */
function remembered(regex: RegExp): (code: number) => boolean {
  const answers = new Map<number, boolean>()
  return (code) => {
    const known = answers.get(code)
    if (known !== undefined) return known
    const answer = regex.test(String.fromCharCode(code))
    answers.set(code, answer)
    return answer
  }
}

function fold(code: number): number {
  const upper = String.fromCharCode(code).toUpperCase()
  const folded = upper.length === 1 ? upper.charCodeAt(0) : code
  return code >= 128 && folded < 128 ? code : folded
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029
}

function isBoundary(text: string, at: number): boolean {
  return isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at))
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  )
}

function canBeEmpty(node: Node): boolean {
  if (node.kind === 'one') return false
  if (node.kind === 'repeat') return node.least === 0 || canBeEmpty(node.inner)
  if (node.kind === 'sequence') return node.parts.every(canBeEmpty)
  return node.kind === 'choice' ? node.parts.some(canBeEmpty) : true
}

/** How many characters a node matches, if that is always the same number. */
function widthOf(node: Node): number | undefined {
  if (node.kind === 'one') return 1
  if (node.kind === 'assert' || node.kind === 'look') return 0
  if (node.kind === 'repeat') {
    const width = widthOf(node.inner)
    return width === undefined || node.least !== node.most ? undefined : width * node.least
  }
  const widths = node.parts.map(widthOf)
  if (node.kind === 'choice') return widths.every((width) => width === widths[0]) ? widths[0] : undefined
  return widths.reduce<number | undefined>(
    (sum, width) => (sum === undefined || width === undefined ? undefined : sum + width),
    0,
  )
}
