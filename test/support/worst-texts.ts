// Makes texts on which a backtracking engine would be slow, from the expression itself: what the beginning of
// it matches, again and again, without the end.

/** Each makes a text of about a length. */
export function worstTexts(regex: RegExp): ((length: number) => string)[] {
  const parts = partsOf(regex.source)
  const beginnings = parts.map((_, end) => parts.slice(0, end + 1).join(''))
  const repeated = [...new Set([...beginnings, ...parts, ' ', 'a', '\n', 'a ', '\na'])].filter(
    (text) => text !== '',
  )
  return [
    ...repeated.map((text) => (length: number) => `${text.repeat(length / text.length)}\0`),
    ...beginnings.flatMap((beginning) =>
      [...new Set([...parts, ' ', 'a'])]
        .filter((part) => part !== '')
        .map((part) => (length: number) => `${beginning}${part.repeat(length / part.length)}\0`),
    ),
  ]
}

/** For each part of an expression a text that it matches. */
function partsOf(source: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at)
    const [token = ''] =
      /^(?:\\u[0-9A-Fa-f]{4}|\\u\{[^}]*\}|\\x[0-9A-Fa-f]{2}|\\[pP]\{[^}]*\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<?[=!]|\(\?<[^>]*>|\(\?:|[\s\S])/.exec(
        rest,
      ) ?? []
    at += token.length
    if (token === '|') at = endOfGroup(source, at)
    const text = sampleOf(token)
    if (text === undefined) continue
    const [repeat = ''] = /^(?:[*+?]|\{\d+(?:,\d*)?\})?\??/.exec(source.slice(at)) ?? []
    at += repeat.length
    const least = /^\{(\d+)/.exec(repeat)?.[1]
    parts.push(text.repeat(least === undefined ? 1 : Math.max(1, Math.min(64, Number(least)))))
  }
  return parts
}

/** Of the alternatives in a group, the first one is enough. At the top there is no end to go to. */
function endOfGroup(source: string, from: number): number {
  let depth = 0
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1
    else if (source[at] === '[') at = Math.max(at, source.indexOf(']', at))
    else if (source[at] === '(') depth += 1
    else if (source[at] === ')' && depth === 0) return at
    else if (source[at] === ')') depth -= 1
  }
  return from
}

/** Undefined for what matches no text of its own: groups, anchors, alternatives. */
function sampleOf(token: string): string | undefined {
  if (/^(?:\(|\)|\||\^|\$|\\[bB]|[*+?]$)/.test(token)) return undefined
  if (/^\\[1-9k]/.test(token)) return ''
  if (token === '.') return 'a'
  for (const flags of ['us', 's']) {
    try {
      const one = new RegExp(`^(?:${token})$`, flags)
      const text = candidates.find((each) => one.test(each))
      if (text !== undefined) return text
    } catch {
      // Not every token is valid with every flag.
    }
  }
  return token
}

const candidates = [
  ...['a', '1', ' ', 'A', '-', '/', '.', '"', "'", '\n', '\\', '\u001b', '\u0007', '_', '<', '>', '=', '@'],
  ...Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code)),
  ...['\t', '\r', '\0', '\u0001', 'é', '\uFEFF', '\ud800'],
]
