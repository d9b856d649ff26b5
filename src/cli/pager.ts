// Long answers on a terminal go through the user's pager, as in git; everywhere else they are just printed.
import { runAttached } from '../std/proc.ts'
import type { Cli } from './context.ts'

export interface PagerOptions {
  /** Say never. */
  off?: boolean
}

export async function page(cli: Cli, text: string, { off = false }: PagerOptions = {}): Promise<void> {
  const pager = cli.env.ENTIRE_PAGER ?? cli.env.PAGER ?? 'less'
  if (off || !cli.isTerminal || pager === '' || pager === 'cat') return cli.process.stdout.write(text)
  // Asked last: to learn the size of a terminal takes milliseconds.
  if (text.split('\n').length <= cli.size().rows) return cli.process.stdout.write(text)
  // As git does: colours pass, what fits one screen stays on it, and the screen is left as it is.
  const env = { ...cli.env, LESS: cli.env.LESS ?? 'FRX', LV: cli.env.LV ?? '-c' }
  const code = await runAttached(['sh', '-c', pager], { cwd: cli.cwd, env, stdin: text })
  if (code === 127) cli.process.stdout.write(text)
}
