// Quotes words for a POSIX shell.

const plain = /^[\w./@%+=:,-]+$/

/** The word as a shell reads it back, quoted only where it must be. */
export function shellWord(word: string): string {
  return plain.test(word) ? word : shellQuoted(word)
}

export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
