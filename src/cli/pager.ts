// Shows long answers on a terminal in the user's pager, as git does, and prints them elsewhere.

import { type PagerProcess, startPager } from '../std/process.ts'
import type { Cli } from './context.ts'

export interface PagerOptions {
  /** Never use a pager. */
  off?: boolean
}

/** An answer that is written in parts. A terminal shows each at once; elsewhere `finish` prints them all. */
export interface Pages extends AsyncDisposable {
  write(text: string): void
  /** The answer is complete. */
  finish(): Promise<void>
}

export async function page(cli: Cli, text: string, { off = false }: PagerOptions = {}): Promise<void> {
  // The size comes last: reading it takes milliseconds.
  const isShort = off || findPager(cli) === undefined || text.split('\n').length <= cli.size().rows
  if (isShort) return cli.process.stdout.write(text)
  await using pages = openPages(cli)
  pages.write(text)
  await pages.finish()
}

/** `title` is shown at once, before the pager has started, if the pager continues below it. */
export function openPages(
  cli: Cli,
  { off = false, title = '' }: PagerOptions & { title?: string } = {},
): Pages {
  const pager = off ? undefined : findPager(cli)
  const isTitlePrinted = pager !== undefined && keepsScreen(cli, pager)
  if (isTitlePrinted) cli.process.stdout.write(title)
  // As git does: keep colours, do not page what fits on the screen, and do not clear the screen.
  const env = { ...cli.env, LESS: cli.env.LESS ?? 'FRX', LV: cli.env.LV ?? '-c' }
  let running: PagerProcess | undefined =
    pager === undefined ? undefined : startPager(shellFor(pager), { cwd: cli.cwd, env })
  let text = ''
  let shown = 0
  const end = async () => {
    const ended = running
    running = undefined
    // The shell did not find the pager.
    if ((await ended?.end()) === 127) shown = 0
  }
  const pages: Pages = {
    write(more) {
      text += more
      if (running !== undefined) running.write(more)
      else if (cli.isTerminal) cli.process.stdout.write(more)
      if (running !== undefined || cli.isTerminal) shown = text.length
    },
    async finish() {
      await end()
      cli.process.stdout.write(text.slice(shown))
    },
    [Symbol.asyncDispose]: end,
  }
  if (!isTitlePrinted) pages.write(title)
  return pages
}

function keepsScreen(cli: Cli, pager: string): boolean {
  return pager === 'less' && (cli.env.LESS ?? 'X').includes('X')
}

function findPager(cli: Cli): string | undefined {
  const pager = cli.env.ENTIRE_PAGER ?? cli.env.PAGER ?? 'less'
  // On a dumb terminal `less` asks for confirmation first.
  const canPage = cli.isTerminal && (cli.env.TERM ?? 'dumb') !== 'dumb'
  return canPage && pager !== '' && pager !== 'cat' ? pager : undefined
}

// Starts a shell only for a command line, because a shell takes a moment to start.
function shellFor(pager: string): string[] {
  return Bun.which(pager) === null ? ['sh', '-c', pager] : [pager]
}
