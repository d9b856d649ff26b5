// Some agents announce a subagent without an id. What starts it and what ends it say the same about it, so the id is made of that.

/** The same for the same parts; safe in names of files and branches. */
export function taskId(prefix: string, ...parts: string[]): string {
  return `${prefix}_${new Bun.CryptoHasher('sha256').update(parts.join('\n')).digest('hex').slice(0, 16)}`
}

/** Ids become parts of paths; what cannot be in one is replaced. */
export function plainId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_')
}
