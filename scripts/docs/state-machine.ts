// Generates the page about the state machine of sessions, a table and a Mermaid diagram, from the table that
// the program uses.

import { phases } from '../../src/model/session.ts'
import { actionMeanings, decide, triggers } from '../../src/sessions/machine.ts'

export function stateMachineDoc(): string {
  const edges = phases.flatMap((from) =>
    triggers
      .map((trigger) => ({ from, trigger, ...decide(from, trigger) }))
      .filter((edge) => edge.phase !== from || edge.actions.length > 0),
  )
  const rows = edges.map(
    (edge) => `| ${edge.from} | ${edge.trigger} | ${edge.phase} | ${edge.actions.join(', ') || '–'} |`,
  )
  return [
    '# The session state machine',
    '',
    'Generated from `src/sessions/machine.ts` by `npm run docs`. Pairs that change nothing are left out.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> idle',
    ...edges.map((edge) => `  ${edge.from} --> ${edge.phase}: ${edge.trigger}`),
    '```',
    '',
    '| phase | event | next phase | actions |',
    '|---|---|---|---|',
    ...rows,
    '',
    '| action | meaning |',
    '|---|---|',
    ...Object.entries(actionMeanings).map(([name, meaning]) => `| ${name} | ${meaning} |`),
    '',
  ].join('\n')
}
