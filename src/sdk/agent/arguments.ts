// Reads the command line of a call by the table of the protocol.
import { type Arguments, findSubcommand, type SubcommandName } from '../../protocol/external-agent.ts'
import { PluginError } from './plugin-error.ts'

/** Unknown flags are passed over, with their value: a newer caller may send some. */
export function parseArguments<Name extends SubcommandName>(name: Name, words: string[]): Arguments<Name> {
  const expected = findSubcommand(name).args
  const given = new Map<string, string>()
  for (let at = 0; at < words.length; at += 1) {
    const [flag = '', inline] = splitFlag(words[at] ?? '')
    const isSwitch = expected[flag] === 'switch'
    const value = isSwitch ? 'true' : (inline ?? words[at + 1])
    if (!isSwitch && inline === undefined) at += 1
    if (value !== undefined) given.set(flag, value)
  }
  const entries = Object.entries(expected).map(([flag, kind]) => {
    if (kind === 'switch') return [flag, given.has(flag)]
    const value = given.get(flag)
    if (value === undefined) throw new PluginError(`${name} needs --${flag}`)
    return [flag, kind === 'integer' ? parseCount(flag, value) : value]
  })
  return Object.fromEntries(entries)
}

function splitFlag(word: string): [string, string?] {
  if (!word.startsWith('--')) throw new PluginError(`unexpected argument ${JSON.stringify(word)}`)
  const equals = word.indexOf('=')
  return equals === -1 ? [word.slice(2)] : [word.slice(2, equals), word.slice(equals + 1)]
}

function parseCount(flag: string, value: string): number {
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(count)) throw new PluginError(`--${flag} must be a whole number, not ${JSON.stringify(value)}`)
  return count
}
