// Plays a Claude Code session to measure with: it appends to its transcript and calls the real hooks.
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../support/environment.ts'
import type { Ground } from './ground.ts'
import { transcriptText } from './transcript-text.ts'

export interface BenchSession {
  /** A marker of fixed length, new in every turn, that is in everything the turn writes. */
  tag(): string
  /** The turn-start hook. */
  start(env?: Environment): void
  /** What the agent does: writes the files and appends about so many bytes to the transcript. */
  work(options: { files: string[]; bytes: number; fileBytes?: number }): void
  /** The turn-end hook. */
  stop(env?: Environment): void
}

let tags = 0

export function nextTag(): string {
  tags += 1
  return `round-${String(tags).padStart(6, '0')}`
}

export function openSession(ground: Ground, id: string): BenchSession {
  const project = ground.root.replace(/[^A-Za-z0-9]/g, '-')
  const transcript = join(ground.base, 'home', '.claude', 'projects', project, `${id}.jsonl`)
  mkdirSync(dirname(transcript), { recursive: true })
  let tag = nextTag()
  let turns = 0
  const hook = (name: string, more: object, env: Environment = {}) => {
    const payload = JSON.stringify({ session_id: id, transcript_path: transcript, cwd: ground.root, ...more })
    ground.run(['entire', 'hooks', 'claude-code', name], { stdin: payload, env })
  }
  return {
    tag: () => tag,
    start(env) {
      tag = nextTag()
      turns += 1
      hook('user-prompt-submit', { prompt: `please do ${tag}` }, env)
    },
    work({ files, bytes, fileBytes = 4_096 }) {
      for (const path of files)
        ground.write(
          path,
          `${tag} in ${path}\n${'the quick brown fox jumps over the lazy dog\n'.repeat(fileBytes / 44)}`,
        )
      for (const text of transcriptText({
        tag,
        seed: turns,
        bytes,
        files: files.map((path) => join(ground.root, path)),
      }))
        appendFileSync(transcript, text)
    },
    stop: (env) => hook('stop', { last_assistant_message: `Done with ${tag}.` }, env),
  }
}

/** A whole turn that is not measured. */
export function turn(
  session: BenchSession,
  work: { files: string[]; bytes: number; fileBytes?: number },
): void {
  session.start()
  session.work(work)
  session.stop()
}
