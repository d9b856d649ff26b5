// Reports what `entire watch` sees, a line for each event, to people or scripts.

import { isAbsolute, relative } from 'node:path'
import type { Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import { EntireError, messageOf, messageWithHint } from '../../std/errors.ts'
import { formatTime } from '../../std/time.ts'
import type { WatchNews } from '../../watch/turns.ts'
import type { Cli } from '../context.ts'
import { clean, cut, paint } from '../render/text.ts'
import type { WatchedAgent } from './watched-agents.ts'

export interface Narrator {
  watching(watched: WatchedAgent[], places: string[]): void
  news(agent: Agent, news: WatchNews): void
  stopped(reason: string): void
}

export function jsonNarrator(cli: Cli, repo: Repo): Narrator {
  const print = (fields: object) => cli.out(JSON.stringify({ time: formatTime(cli.clock()), ...fields }))
  return {
    watching: (watched, places) =>
      print({
        event: 'watching',
        agents: watched.map(({ agent }) => agent.name),
        places: places.map((place) => inWorktree(repo, place)),
      }),
    news: (agent, news) => print({ ...factsOf(repo, news), agent: agent.name }),
    stopped: (reason) => print({ event: 'stopped', reason }),
  }
}

function factsOf(repo: Repo, news: WatchNews): Record<string, unknown> {
  if (news.event === 'failed') {
    const { error, ...rest } = news
    return {
      ...rest,
      message: messageOf(error),
      ...(error instanceof EntireError && error.hint ? { hint: error.hint } : {}),
    }
  }
  if (news.event !== 'turn-end') return { ...news }
  const { event, session } = news
  const files = filesOf(repo, news)
  return { event, session, prompt: news.after.lastPrompt, files, saved: isSaved(news) }
}

export function textNarrator(cli: Cli, repo: Repo): Narrator {
  const line = (agent: Agent, text: string) =>
    cli.out(`${paint(cli, 'dim', clockTime(cli))} ${agent.name}  ${text}`)
  return {
    watching(watched, places) {
      cli.out(
        `Watching ${watched.map(({ agent }) => agent.type).join(', ')} in ${clean(repo.root)} (Ctrl-C to stop)`,
      )
      for (const place of places) cli.out(`  ${paint(cli, 'dim', clean(inWorktree(repo, place)))}`)
      for (const { agent } of watched.filter(({ isHooked }) => isHooked))
        cli.note(`Note: Hooks for ${agent.type} are installed. Sessions that they report are not watched.`)
    },
    news(agent, news) {
      if (news.event === 'failed')
        return void cli.note(`${clockTime(cli)} ${agent.name}  ${failure(news.error)}`)
      if (news.event === 'two-at-once')
        return void cli.note(`${clockTime(cli)} ${agent.name}  ${twoAtOnce(agent)}`)
      const text = textOf(repo, news)
      if (text !== undefined) line(agent, text)
    },
    stopped: (reason) => cli.note(reason),
  }
}

function textOf(
  repo: Repo,
  news: Exclude<WatchNews, { event: 'failed' | 'two-at-once' }>,
): string | undefined {
  switch (news.event) {
    case 'session':
      return `session ${clean(news.session)}`
    case 'reported':
      return `session ${clean(news.session)} is reported by hooks`
    case 'turn-start':
      return `… ${news.prompt === undefined ? '(without a prompt)' : quoted(news.prompt)}`
    case 'turn-end':
      return isSaved(news) ? `✓ recorded ${summary(repo, news)}` : `✓ ${summary(repo, news)}, nothing to save`
    case 'commit':
      return undefined
  }
}

type TurnEnd = Extract<WatchNews, { event: 'turn-end' }>

function twoAtOnce({ type }: Agent): string {
  return `! Another ${type} started here before this one had answered. Both write to the same file, so what they do cannot be told apart.`
}

function inWorktree({ root }: Repo, path: string): string {
  const inside = relative(root, path)
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside || '.'
}

function filesOf(repo: Repo, { after }: TurnEnd): string[] {
  return [...new Set(after.turnFiles.map((file) => (isAbsolute(file) ? inWorktree(repo, file) : file)))]
}

function summary(repo: Repo, end: TurnEnd): string {
  const { after } = end
  const names = filesOf(repo, end).map(clean)
  const files =
    names.length === 0
      ? ''
      : `: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`
  return `${quoted(after.lastPrompt ?? '')}${files}`
}

/** As a step, or in the checkpoint of a commit made during the turn. */
function isSaved({ before, after }: TurnEnd): boolean {
  return (
    after.stepCount !== before?.stepCount ||
    (before?.turnCheckpoints.length ?? 0) > 0 ||
    after.lastCheckpoint !== before?.lastCheckpoint
  )
}

function quoted(text: string): string {
  return `"${cut(text, 60)}"`
}

function failure(error: unknown): string {
  return `✕ ${clean(error instanceof EntireError ? messageWithHint(error) : messageOf(error))}`
}

function clockTime(cli: Cli): string {
  return cli.clock().toTimeString().slice(0, 8)
}
