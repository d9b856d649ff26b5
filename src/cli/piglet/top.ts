// Defines `piglet ext top`, which shows the state of all running extensions, updated every second.

import { readFileSync } from 'node:fs'
import { buildCommand } from '@stricli/core'
import { readBoards, type StatusBoard, type StatusRow } from '../../extensions/status-board.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { timeAgo } from '../render/numbers.ts'
import { clean, tableLines } from '../render/text.ts'
import { withHost } from './host.ts'
import { configDirOf } from './places.ts'

interface TopFlags {
  start?: boolean
  once?: boolean
  json?: boolean
}

const pauseMs = 1000

export const extTopCommand = buildCommand<TopFlags, [], Cli>({
  async func(flags) {
    if (flags.start)
      return await withHost(
        this,
        { watch: true, quiet: true },
        async (_piglet, signal) => await showBoards(this, flags, signal),
      )
    await showBoards(this, flags, undefined)
  },
  parameters: {
    flags: {
      start: switchFlag('Start the extensions here, and restart them when their files change'),
      once: switchFlag('Print once and exit; the default without a terminal'),
      json: switchFlag('Print JSON, once'),
    },
  },
  docs: {
    brief: 'Show the state of running extensions',
    fullDescription: formatManual({
      text: [
        'Shows, for each program that runs extensions, their state, process, memory, restarts, messages so far, and pending requests.',
        'Updates every second, until Ctrl-C. With --start, also runs the extensions here, for authors of extensions.',
      ],
      examples: [
        ['piglet ext top', 'all running extensions'],
        ['piglet ext top --start', 'run them, too'],
        ["piglet ext top --json | jq '.[].extensions[]'", 'for scripts'],
      ],
    }),
  },
})

async function showBoards(cli: Cli, flags: TopFlags, signal: AbortSignal | undefined): Promise<void> {
  const read = () => readBoards(configDirOf(cli))
  if (flags.json) return void cli.process.stdout.write(formatJson(read()))
  const isOnce = flags.once || !cli.isTerminal
  for (;;) {
    // Clears the screen.
    if (!isOnce) cli.process.stdout.write('\x1b[H\x1b[2J')
    for (const line of boardLines(read(), cli.clock())) cli.out(line)
    if (isOnce || signal?.aborted) return
    await Bun.sleep(pauseMs)
    if (signal?.aborted) return
  }
}

function boardLines(boards: StatusBoard[], now: Date): string[] {
  if (boards.length === 0) return ['No extensions are running. `piglet ext top --start` runs them here.']
  return boards.flatMap(({ pid, cwd, extensions }, at) => [
    ...(at > 0 ? [''] : []),
    `Program ${pid} in ${clean(cwd)}`,
    ...tableLines([heads, ...extensions.map((row) => cellsOf(row, now))], {
      indent: 2,
      right: [2, 3, 5, 6, 7, 8],
    }),
    ...extensions
      .filter(({ reason }) => reason !== '')
      .map(({ name, reason }) => `  ${clean(name)}: ${clean(reason)}`),
  ])
}

const heads = ['NAME', 'STATE', 'PID', 'MEMORY', 'SINCE', 'RESTARTS', 'HEARD', 'SAID', 'UNDER WAY']

function cellsOf(
  { name, state, pid, since, restarts, heard, said, waiting, serving }: StatusRow,
  now: Date,
): string[] {
  const numbers = [restarts, heard, said, waiting + serving].map(String)
  return [clean(name), state, String(pid ?? '-'), memoryOf(pid), timeAgo(new Date(since), now), ...numbers]
}

// Only Linux has this file. https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html
function memoryOf(pid: number | null): string {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    return `${Math.round((pages * 4096) / 1024 / 1024)} MB`
  } catch {
    return '-'
  }
}
