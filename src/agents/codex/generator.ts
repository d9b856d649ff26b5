// Codex as a writer of text: it may look at nothing but an empty directory, and keeps no rollout.
import type { TextGenerator } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'

export const codexGenerator: TextGenerator = {
  command: ({ model }) => [
    'codex',
    'exec',
    '--json',
    '--ephemeral',
    '--skip-git-repo-check',
    '--sandbox=read-only',
    ...(model === undefined ? [] : [`--model=${model}`]),
    '-',
  ],
  // What a Codex that runs us tells its children.
  env: { CODEX_SESSION_ID: undefined, CODEX_THREAD_ID: undefined, CODEX_TOOL_CALL_ID: undefined },
  parseAnswer(output) {
    const events = output
      .split('\n')
      .map((line) => asObject(parseJson(line)))
      .filter((event) => event !== undefined)
    const answers = events.flatMap((event) => {
      const item = event.type === 'item.completed' ? asObject(event.item) : undefined
      return item?.type === 'agent_message' ? (text(item.text) ?? []) : []
    })
    const answer = answers.at(-1)
    if (answer !== undefined) return answer
    const failed = events.findLast((event) => event.type === 'turn.failed' || event.type === 'error')
    throw new EntireError('agent-failed', text(asObject(failed?.error)?.message) ?? text(failed?.message) ?? 'It printed no message.')
  },
}
