// Droid as a writer of text: `droid exec` reads its prompt from a pipe, and may only read unless it is told otherwise.
import type { TextGenerator } from '../../model/agent.ts'
import { findObjects } from '../../std/embedded-json.ts'
import { EntireError } from '../../std/errors.ts'
import { text } from '../hook-table.ts'

export const droidGenerator: TextGenerator = {
  command: ({ model }) => ['droid', 'exec', '--output-format', 'json', ...(model === undefined ? [] : [`--model=${model}`])],
  env: { FACTORY_PROJECT_DIR: undefined },
  parseAnswer(output) {
    const result = findObjects(output).findLast((object) => object.type === 'result')
    const answer = text(result?.result)
    if (answer !== undefined && result?.is_error !== true) return answer
    throw new EntireError('agent-failed', answer ?? 'It printed no result.')
  },
}
