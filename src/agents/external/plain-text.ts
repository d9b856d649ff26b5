// What a plugin says is shown to people, so it must not be able to move their cursor.
const sequence = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Its own lines and tabs stay. */
export function plainText(text: string): string {
  return text.replace(sequence, '').replace(control, '').trim()
}

export function plainLine(text: string): string {
  return plainText(text).replace(/[\n\t]+/g, ' ')
}
