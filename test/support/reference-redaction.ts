// Finds what the reference program's documented rules find, without any care for speed: runs of characters
// with high entropy, and values of high entropy behind a name that says key, token or password.

const run = /[A-Za-z0-9+_=-]{10,}/g

function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, n) => sum - (n / text.length) * Math.log2(n / text.length), 0)
}

const telling = [
  'access',
  'auth',
  'api',
  'credential',
  'creds',
  'key',
  'password',
  'passwd',
  'secret',
  'token',
]
const between = String.raw`[ \t\w.-]{0,20}[\s'"]{0,3}(?:=>|:{1,3}=|\|\||\?=|[=>:,])[\x60'"\s=]{0,5}`
const value = String.raw`(?<value>[\w.=-]{10,150}|[a-z0-9][a-z0-9+/]{11,}={0,3})(?:[\x60'"\s;]|\\[nr]|$)`
const assignment = new RegExp(`(?:${telling.join('|')})${between}${value}`, 'gi')

/** Names that say key or token and mean something else. */
const harmless =
  /access(?:ibility|or)|author|api[_.-]?(?:id|name|version)|(?:public|primary|foreign)[_.-]?key|key[_.-]?(?:board|code|id|name|word)|token[_.-]?(?:url|uri)/i

export function findByReference(text: string): string[] {
  const runs = [...text.matchAll(run)]
    .map(([found]) => found)
    .filter((found) => bitsPerCharacter(found) > 4.5)
  const values = [...text.matchAll(assignment)]
    .filter(([whole]) => !harmless.test(whole))
    .map((match) => match.groups!.value!)
    .filter((found) => bitsPerCharacter(found) > 3.5 && /\d/.test(found))
  return [...runs, ...values]
}
