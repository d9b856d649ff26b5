// Provides the parts that definitions of commands share: long help in one shape, and the kinds of flags.

import type { Command, RouteMap } from '@stricli/core'
import type { Settings } from '../model/settings.ts'
import { invalidValue, useOneOf } from '../std/errors.ts'
import type { Cli } from './context.ts'
import { clean } from './render/text.ts'

/** A command, or a group of commands. */
export type CommandNode = Command<Cli> | RouteMap<Cli>

export interface Manual {
  text: string[]
  examples: [command: string, meaning: string][]
}

/** Says what a command does, then shows examples. */
export function formatManual({ text, examples }: Manual): string {
  const width = Math.max(...examples.map(([command]) => command.length))
  const lines = examples.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`)
  return [...text, '', 'EXAMPLES', ...lines].join('\n')
}

/** A flag that is either given or not. */
export const switchFlag = (brief: string) =>
  ({ kind: 'boolean', optional: true, withNegated: false, brief }) as const

export const valueFlag = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: String, optional: true, placeholder, brief }) as const

/** `--limit`: how many entries to show. */
export const limitFlag = (brief: string) =>
  ({ kind: 'parsed', parse: parseLimit, optional: true, placeholder: 'n', brief }) as const

const highestLimit = 100_000

function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0 && limit <= highestLimit) return limit
  throw invalidValue(text, '--limit', `Use a whole number from 1 to ${highestLimit}.`)
}

const backends: Record<string, Settings['checkpointsBackend']> = {
  branch: 'git-branch',
  refs: 'git-refs',
  'git-branch': 'git-branch',
  'git-refs': 'git-refs',
}

/** How checkpoints are stored, as the value of a flag. */
export function requireBackend(text: string, flag: string): Settings['checkpointsBackend'] {
  const backend = Object.hasOwn(backends, text) ? backends[text] : undefined
  if (backend !== undefined) return backend
  throw invalidValue(clean(text), flag, useOneOf(['branch', 'refs']))
}
