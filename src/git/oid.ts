// Defines object ids: 40 hex digits, or 64 in sha256 repositories.

export type Oid = string

export function isOid(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/**
 * The id git would give a blob, computed without asking git. Any oid of the repository tells the kind of
 * hash.
 */
export function blobOid(content: Uint8Array, sampleOid: Oid): Oid {
  const hasher = new Bun.CryptoHasher(sampleOid.length === 64 ? 'sha256' : 'sha1')
  hasher.update(`blob ${content.length}\0`)
  hasher.update(content)
  return hasher.digest('hex')
}
