// Long answers on a terminal go through the user's pager, as in git; everywhere else they are just printed.

import { type PagerProcess, startPager } from '../std/proc.ts'
import type { Cli } from './context.ts'

export interface PagerOptions {
  /** Say never. */
  off?: boolean
}

/** An answer that is still being found: on a terminal what is there is shown, elsewhere all of it comes at the end, or nothing. */
export interface Pages extends AsyncDisposable {
  write(text: string): void
  /** The answer is complete. */
  finish(): Promise<void>
}

export async function page(cli: Cli, text: string, { off = false }: PagerOptions = {}): Promise<void> {
  // The size is asked last: to learn it takes milliseconds.
  const isShort = off || findPager(cli) === undefined || text.split('\n').length <= cli.size().rows
  if (isShort) return cli.process.stdout.write(text)
  await using pages = openPages(cli)
  pages.write(text)
  await pages.finish()
}

/** `title` is shown at once. A pager that leaves the screen as it is shows the rest below; it takes longer to start than we do. */
export function openPages(
  cli: Cli,
  { off = false, title = '' }: PagerOptions & { title?: string } = {},
): Pages {
  const pager = off ? undefined : findPager(cli)
  const isApart = pager !== undefined && keepsScreen(cli, pager)
  if (isApart) cli.process.stdout.write(title)
  // As git does: colours pass, what fits one screen stays on it, and the screen is left as it is.
  const env = { ...cli.env, LESS: cli.env.LESS ?? 'FRX', LV: cli.env.LV ?? '-c' }
  let fed: PagerProcess | undefined =
    pager === undefined ? undefined : startPager(shellFor(pager), { cwd: cli.cwd, env })
  let text = ''
  let shown = 0
  const end = async () => {
    const ended = fed
    fed = undefined
    // The shell did not find it.
    if ((await ended?.end()) === 127) shown = 0
  }
  const pages: Pages = {
    write(more) {
      text += more
      if (fed !== undefined) fed.write(more)
      else if (cli.isTerminal) cli.process.stdout.write(more)
      if (fed !== undefined || cli.isTerminal) shown = text.length
    },
    async finish() {
      await end()
      cli.process.stdout.write(text.slice(shown))
    },
    [Symbol.asyncDispose]: end,
  }
  if (!isApart) pages.write(title)
  return pages
}

function keepsScreen(cli: Cli, pager: string): boolean {
  return pager === 'less' && (cli.env.LESS ?? 'X').includes('X')
}

function findPager(cli: Cli): string | undefined {
  const pager = cli.env.ENTIRE_PAGER ?? cli.env.PAGER ?? 'less'
  // On a terminal that can only print, a pager would first ask whether it may.
  const canPage = cli.isTerminal && (cli.env.TERM ?? 'dumb') !== 'dumb'
  return canPage && pager !== '' && pager !== 'cat' ? pager : undefined
}

// A shell only where one is needed: it takes a moment to start.
function shellFor(pager: string): string[] {
  return Bun.which(pager) === null ? ['sh', '-c', pager] : [pager]
}
