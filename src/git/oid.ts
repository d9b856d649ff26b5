// Object ids: 40 hex digits, or 64 in sha256 repositories.

export type Oid = string

export function isOid(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** The id git gives a blob; lets us see that a file is unchanged without asking git. */
export function blobOid(content: Uint8Array, like: Oid): Oid {
  const hasher = new Bun.CryptoHasher(like.length === 64 ? 'sha256' : 'sha1')
  hasher.update(`blob ${content.length}\0`)
  hasher.update(content)
  return hasher.digest('hex')
}
