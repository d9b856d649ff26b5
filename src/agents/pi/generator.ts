// Pi as a writer of text: it answers what it reads, keeps nothing, and has no tools.
import type { TextGenerator } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'

export const piGenerator: TextGenerator = {
  command: ({ model }) => [
    'pi',
    '--no-session',
    '--no-tools',
    '--no-skills',
    '--no-prompt-templates',
    '--no-context-files',
    // Whatever follows is its value, also when it looks like a flag; joined with `=` it would not be understood.
    ...(model === undefined ? [] : ['--model', model]),
    '--print',
  ],
  parseAnswer(output) {
    const answer = output.trim()
    if (answer !== '') return answer
    throw new EntireError('agent-failed', 'It printed no answer.')
  },
}
