// `entire completion complete -- <words>`: what the completion scripts ask when a person presses Tab.
import type { Cli } from '../context.ts'
import { propose } from './propose.ts'

/** Lines of a word, a tab, and what it is. Whatever goes wrong, a person who pressed Tab must not see it. */
export async function answerShell(cli: Cli, words: readonly string[]): Promise<number> {
  try {
    for (const { value, about } of await propose(cli, words[0] === '--' ? words.slice(1) : words)) cli.out(`${value}\t${about}`)
  } catch {}
  return 0
}
