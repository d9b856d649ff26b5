// Which members of a JSON object are secret because of their key, or because of the company they are in.
import { isPasswordLiteral, looksRandom } from './credential-shape.ts'
import { passwordNames, secretNames } from './secret-names.ts'

const hostKey = /^(?:db_?)?(?:host|hostname|server|endpoint|address|addr|url)$/
const userKey = /^(?:db_?)?(?:user|username|user_name|login|account)$/
const passwordKeys = ['password', 'passwd', 'pwd', 'pass', 'passphrase']
const passwordKey = new RegExp(`^(?:db_?)?(?:${passwordKeys.join('|')})$`)
const passwordMember = new RegExp(`(?:${passwordNames.join('|')})$`)
const secretMember = new RegExp(`(?:${secretNames.join('|')})$`)

/** What a JSON text must contain, in front of a closing quote, to have such a member. */
export const credentialKeys: readonly string[] = [...new Set([...passwordKeys, ...passwordNames, ...secretNames])]

export type KeyRole = 'host' | 'user' | 'password'

export function roleOfKey(key: string): KeyRole | undefined {
  const name = key.toLowerCase()
  if (passwordKey.test(name)) return 'password'
  if (userKey.test(name)) return 'user'
  if (hostKey.test(name)) return 'host'
  return undefined
}

export function isSecretKey(key: string): boolean {
  const name = key.toLowerCase()
  return passwordMember.test(name) || secretMember.test(name)
}

/** The same judgement as for `key = "value"` in a text. */
export function isSecretMember(key: string, value: string): boolean {
  const name = key.toLowerCase()
  if (/\s/.test(value)) return false
  return (passwordMember.test(name) && isPasswordLiteral(value)) || (secretMember.test(name) && looksRandom(value))
}

const paths = ['filepath', 'file_path', 'cwd', 'root', 'directory', 'dir', 'path']
// Only the provider can read these, and it refuses to continue a conversation in which one was changed.
const sealed = ['signature', 'thoughtsignature', 'thought_signature', 'thinkingsignature', 'textsignature', 'encrypted_content']
const skippedKeys = new Set([...paths, ...sealed])

/** Ids and paths: tools look them up by their exact value, and they only look like secrets. */
export function isSkippedKey(key: string): boolean {
  const name = key.toLowerCase()
  return skippedKeys.has(name) || name.endsWith('id') || name.endsWith('ids')
}

/** Pictures, sealed thoughts and other binary data, for which chance decides what they look like. */
export function isMediaType(type: string): boolean {
  return type.startsWith('image') || type === 'base64' || type === 'redacted_thinking'
}
