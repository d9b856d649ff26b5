// Patterns for paths: `*` and `?` within a name, `**` across directories, `{a,b}` and `[a-z]`.

/** A pattern without a slash is for the name alone, wherever the file is. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const whole = pattern.includes('/') ? pattern.replace(/^\.?\//, '') : `**/${pattern}`
  const expression = new RegExp(`^${toExpression(whole)}$`)
  return (path) => expression.test(path)
}

const pieces: [RegExp, (match: string) => string][] = [
  [/^\*\*\//, () => '(?:[^/]+/)*'],
  [/^\*\*/, () => '.*'],
  [/^\*/, () => '[^/]*'],
  [/^\?/, () => '[^/]'],
  [/^\[[!^]?[^\]/]+\]/, (set) => set.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')],
  [/^\{[^{}/]*\}/, (list) => `(?:${list.slice(1, -1).split(',').map(toExpression).join('|')})`],
]

function toExpression(pattern: string): string {
  let expression = ''
  for (let rest = pattern; rest !== ''; ) {
    const [form, make] = pieces.find(([one]) => one.test(rest)) ?? [/^./su, escaped]
    const [match = rest] = form.exec(rest) ?? []
    expression += make(match)
    rest = rest.slice(match.length)
  }
  return expression
}

function escaped(letter: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(letter) ? `\\${letter}` : letter
}
