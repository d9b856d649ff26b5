// What aider's chat history tells while it grows.

import { dirname } from 'node:path'
import type { FileWatcher, Sign } from '../../model/session-file.ts'
import { exists } from '../../std/file.ts'
import { type HistoryPiece, parseCommit, parseEdit, parseHistory, parseTokens, promptOf } from './history.ts'
import { historyFile, sessionId } from './session-files.ts'

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
      // A history whose beginning was cut off, or that some other program began.
      if (!begun && sign.type !== 'session') signs.push(sessionSign(path, undefined, piece.line))
      begun = true
      // Comments in the code can be prompts, too; of these only the answer is written down.
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
    const prompt = promptOf(piece.text)
    return prompt === undefined ? undefined : { type: 'prompt', line, prompt }
  }
  const commit = parseCommit(piece.text)?.commit
  if (commit !== undefined) return { type: 'commit', line, commit }
  // Edits, commits, lint and tests come after the tokens: the turn is over only when nothing more comes.
  if (parseTokens(piece.text) !== undefined) return { type: 'answer', line }
  return parseEdit(piece.text) === undefined ? undefined : { type: 'work', line }
}

function sessionSign(path: string, time: string | undefined, line: number): Sign {
  return { type: 'session', line, session: sessionId(path, time), order: time ?? '' }
}
