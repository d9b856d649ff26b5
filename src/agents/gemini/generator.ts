// Gemini CLI as a writer of text: started without a terminal it answers what it reads, and asks for no tool it would need leave for.
import type { TextGenerator } from '../../model/agent.ts'
import { findObjects } from '../../std/embedded-json.ts'
import { EntireError } from '../../std/errors.ts'
import { asObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'

export const geminiGenerator: TextGenerator = {
  command: ({ model }) => ['gemini', '--output-format', 'json', ...(model === undefined ? [] : [`--model=${model}`])],
  // In a directory it was not told to trust it refuses to start; ours is empty.
  env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_PROJECT_DIR: undefined },
  parseAnswer(output) {
    const result = findObjects(output).findLast((object) => 'response' in object || 'error' in object)
    const answer = text(result?.response)
    if (answer !== undefined) return answer
    throw new EntireError('agent-failed', text(asObject(result?.error)?.message) ?? 'It printed no response.')
  },
}
