// Defines Aider as an agent. It has no hooks: `entire watch` follows its chat history, which this file reads
// for signs of sessions and turns while it grows.

import { dirname, join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import type { FileWatcher, Sign } from '../../model/session-file.ts'
import { unknownName } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { aiderCard } from '../cards.ts'
import {
  aiderPromptOf,
  type HistoryPiece,
  parseCommitReport,
  parseEditReport,
  parseHistory,
  parseUsageReport,
} from './history.ts'
import { aiderResume, aiderSections, aiderSessionId, historyFile, historyName } from './session-files.ts'
import { aiderTranscript } from './transcript.ts'

export const aiderWatcher: FileWatcher = {
  dirs: ({ root, env }) => [dirname(historyFile(root, env))],
  list: ({ root, env }) => [historyFile(root, env)].filter(exists),
  open: (path) => (lines, before) => {
    const { pieces, carry } = parseHistory(lines, before)
    const signs: Sign[] = []
    let { begun, asked } = { begun: before?.begun === true, asked: before?.asked === true }
    for (const piece of pieces) {
      const sign = signOf(piece, path)
      if (sign === undefined) continue
      // The history has no heading: its beginning was cut off, or another program began it.
      if (!begun && sign.type !== 'session') signs.push(sessionSign(path, undefined, piece.line))
      begun = true
      // Comments in the code can be prompts as well, and only their answer is in the history.
      if (!asked && (sign.type === 'answer' || sign.type === 'work'))
        signs.push({ type: 'prompt', line: piece.line })
      asked = sign.type !== 'session'
      signs.push(sign)
    }
    return { signs, carry: { ...carry, begun, asked } }
  },
}

function signOf(piece: HistoryPiece, path: string): Sign | undefined {
  const { line } = piece
  if (piece.kind === 'start') return sessionSign(path, piece.time, line)
  if (piece.kind === 'answer') return undefined
  if (piece.kind === 'input') {
    const prompt = aiderPromptOf(piece.text)
    return prompt === undefined ? undefined : { type: 'prompt', line, prompt }
  }
  const commit = parseCommitReport(piece.text)?.commit
  if (commit !== undefined) return { type: 'commit', line, commit }
  // Edits, commits, lint and tests come after the tokens: the turn is over only when nothing more comes.
  if (parseUsageReport(piece.text) !== undefined) return { type: 'answer', line }
  return parseEditReport(piece.text) === undefined ? undefined : { type: 'work', line }
}

function sessionSign(path: string, time: string | undefined, line: number): Sign {
  return { type: 'session', line, session: aiderSessionId(path, time), order: time ?? '' }
}

export const aider = {
  ...aiderCard,
  description: 'Aider - AI pair programming in your terminal',
  protectedDirs: [
    historyName,
    '.aider.input.history',
    '.aider.llm.history',
    '.aider.tags.cache.v3',
    '.aider.tags.cache.v4',
  ],
  detect: (root) =>
    [historyName, '.aider.conf.yml', '.aider.input.history'].some((name) => exists(join(root, name))),
  hookNames: [],
  parseHook: (verb) => {
    throw unknownName('Aider hook', verb, 'Run `entire watch` while you use Aider.', 'unknown-hook')
  },
  projectDir: () => undefined,
  transcript: aiderTranscript,
  sections: aiderSections,
  resume: aiderResume,
  watcher: aiderWatcher,
} satisfies Agent
