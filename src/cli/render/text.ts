// Text that came from users, agents or git is shown, never obeyed: control characters could move the cursor or forge output.
const sequence = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g
const control = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** On one line. */
export function clean(text: string): string {
  return text.replace(sequence, '').replace(control, ' ').trim()
}

/** On as many lines as it has, indented as they are. */
export function cleanLines(text: string): string {
  const lines = text.replace(sequence, '').split('\n')
  return lines.map((line) => line.replace(control, ' ')).join('\n')
}

/** On one line, at most `length` characters. */
export function cut(text: string, length: number): string {
  const characters = [...clean(text)]
  return characters.length > length ? `${characters.slice(0, length - 3).join('')}...` : characters.join('')
}
