// Recognises expressions that can need exponential time: an open-ended repeat of a group that can itself match in several ways.
interface Group {
  ambiguous: boolean
}

/** JavaScript cannot interrupt a regular expression, so the dangerous shapes are refused instead. */
export function repeatsARepeat(source: string): boolean {
  const stack: Group[] = [{ ambiguous: false }]
  for (let i = 0; i < source.length; i++) {
    const character = source[i]!
    if (character === '\\') i += 1
    else if (character === '[') i = endOfClass(source, i)
    else if (character === '(') stack.push({ ambiguous: false })
    else if (character === '|') stack.at(-1)!.ambiguous = true
    else if (character === ')') {
      const group = stack.pop() ?? { ambiguous: false }
      if (group.ambiguous && isOpenRepeat(source, i + 1)) return true
      const outer = stack.at(-1)
      if (outer && group.ambiguous) outer.ambiguous = true
    } else if (isOpenRepeat(source, i)) stack.at(-1)!.ambiguous = true
  }
  return false
}

function endOfClass(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i += 1
    else if (source[i] === ']') return i
  }
  return source.length
}

const upperLimit = 16

function isOpenRepeat(source: string, at: number): boolean {
  if (source[at] === '*' || source[at] === '+') return true
  const counted = /^\{\d+(?<open>,(?<most>\d*))?\}/.exec(source.slice(at, at + 24))
  if (!counted) return false
  return counted.groups?.open !== undefined && (counted.groups.most === '' || Number(counted.groups.most) > upperLimit)
}
