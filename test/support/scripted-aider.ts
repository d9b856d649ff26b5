// Plays aider by a script: it writes its chat history as the real one does, edits files and commits.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedRepo } from './recorded-repo.ts'

export interface ScriptedAider {
  history: string
  /** The id that a session of this start gets. */
  session(): string
  /** `later`: seconds from now, for sessions that would begin in the same second. */
  start(options?: { model?: string; later?: number }): void
  /** The user types, on one line or more. */
  type(text: string): void
  /** The model answers, in words. */
  answer(text: string, tokens?: string): void
  /** Writes files; the answer has named them before. */
  edit(files: Record<string, string>): void
  /** Commits what was edited, as aider does: without running the hooks that could refuse. */
  commit(message: string, options?: { hooks?: boolean }): Promise<string>
  /** A whole turn: prompt, answer, edits. */
  turn(prompt: string, files: Record<string, string>): void
  /** Any line of aider's. */
  report(text: string): void
}

export function scriptedAider(repo: RecordedRepo, options: { history?: string } = {}): ScriptedAider {
  const history = options.history ?? join(repo.root, '.aider.chat.history.md')
  let started = ''
  let edited: string[] = []
  // Each call is one write, as in aider.
  const append = (text: string) => appendFileSync(history, text)
  const report = (text: string) => append(`> ${text}  \n`)
  const aider: ScriptedAider = {
    history,
    session() {
      const own = new Bun.CryptoHasher('sha256').update(`${history}\0${started}`).digest('hex').slice(0, 8)
      return `${own}-aider-${started.replace(/[-:]/g, '').replace(' ', '-')}`
    },
    start({ model = 'gpt-5', later = 0 } = {}) {
      const now = new Date(Date.now() + later * 1000)
      started = new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
        .toISOString()
        .slice(0, 19)
        .replace('T', ' ')
      append(`\n# aider chat started at ${started}\n\n`)
      for (const line of [
        `/usr/bin/aider --model ${model}`,
        'Aider v0.86.2',
        `Model: ${model} with diff edit format`,
      ])
        report(line)
    },
    type: (text) => append(`\n#### ${text.split('\n').join('  \n#### ')}  \n`),
    answer(text, tokens = '2.3k sent, 95 received') {
      append(`\n${text}\n\n`)
      report(`Tokens: ${tokens}. Cost: $0.01 message, $0.01 session.`)
    },
    edit(files) {
      for (const [path, content] of Object.entries(files)) {
        repo.write(path, content)
        report(`Applied edit to ${path}`)
      }
      edited = Object.keys(files)
    },
    async commit(message, { hooks = true } = {}) {
      await repo.git('add', '--', ...edited)
      const off = hooks ? [] : ['-c', 'core.hooksPath=/dev/null']
      await repo.gitAs('agent', [...off, 'commit', '--quiet', '--no-verify', '-m', message])
      const hash = await repo.git('rev-parse', '--short', 'HEAD')
      report(`Commit ${hash} ${message}`)
      return hash
    },
    turn(prompt, files) {
      aider.type(prompt)
      aider.answer('Here it is.')
      aider.edit(files)
    },
    report,
  }
  return aider
}
