// Who signs our commits: the user as git knows them, or a placeholder, never a prompt.
export interface Identity {
  name: string
  email: string
}

export const unknownIdentity: Identity = { name: 'Unknown', email: 'unknown@local' }

/** Characters that would end a field of a commit header. */
export function safeIdentity(name: string | undefined, email: string | undefined): Identity {
  const clean = (text: string | undefined) => text?.replace(/[<>\n\0]/g, '').trim()
  return { name: clean(name) || unknownIdentity.name, email: clean(email) || unknownIdentity.email }
}
