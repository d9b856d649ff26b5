// Scripts the model: for each prompt the tools it calls, round by round, and its final answer.
import { join } from 'node:path'
import type { Call, Conversation, Reply, Said } from './conversation.ts'
import type { Dialect } from './dialect.ts'

export const prompts = {
  create: 'Write greeting.txt please',
  edit: 'Make the greeting friendlier',
  delegate: 'Have a colleague write a poem',
  commit: 'Commit the text files',
  twoFiles: 'Write two chapters',
  shorten: 'Make the first chapter shorter',
  failing: 'Run a command that fails',
  shell: 'Append a line by a command',
  halves: 'Write two halves, commit the first',
  interrupted: 'Write a draft, and think about it',
  instead: 'Write a final version instead',
  fork: 'Try it in another way',
} as const

/** The task of the subagent. */
const poemPrompt = 'Compose poem.txt'

export const contents = {
  greeting: 'Good morning.\n',
  friendlier: 'Good morning, dear reader.\n',
  poem: 'Roses are red.\n',
  chapters: ['Chapter one, in which nothing happens.\n', 'Chapter two.\n'],
  shorter: 'Chapter one.\n',
  longer: 'Chapter two.\nThe end.\n',
} as const

interface Act {
  /** Every round is the tool calls of one reply. */
  rounds: ((tools: Dialect, at: (path: string) => string, said: Said[]) => (Call | undefined)[])[]
  /** Undefined: it never comes, and the agent has to be stopped. */
  answer: string | undefined
}

const acts: Record<string, Act> = {
  [prompts.create]: {
    rounds: [(tools, at) => [tools.write(at('greeting.txt'), contents.greeting)]],
    answer: 'I wrote greeting.txt.',
  },
  // Some agents refuse to edit files that the session has not read.
  [prompts.edit]: {
    rounds: [
      (tools, at) => [tools.read(at('greeting.txt'))],
      (tools, at) => [tools.edit(at('greeting.txt'), 'Good morning.', 'Good morning, dear reader.')],
    ],
    answer: 'It is friendlier now.',
  },
  [prompts.delegate]: {
    rounds: [
      (tools) => [tools.delegate?.(poemPrompt)],
      (tools, _at, said) => [tools.wait?.(said.at(-1)?.text ?? '')],
    ],
    answer: 'My colleague wrote a poem.',
  },
  [poemPrompt]: {
    rounds: [(tools, at) => [tools.write(at('poem.txt'), contents.poem)]],
    answer: 'The poem is in poem.txt.',
  },
  [prompts.commit]: {
    rounds: [(tools) => [tools.shell(`git add --all -- '*.txt' && git commit --quiet -m 'Add texts'`)]],
    answer: 'It is committed.',
  },
  [prompts.twoFiles]: {
    rounds: [
      (tools, at) =>
        contents.chapters.map((text, index) => tools.write(at(`chapter-${index + 1}.txt`), text)),
    ],
    answer: 'Two chapters are written.',
  },
  [prompts.shorten]: {
    rounds: [
      (tools, at) => [tools.read(at('chapter-1.txt'))],
      (tools, at) => [
        tools.edit(at('chapter-1.txt'), 'Chapter one, in which nothing happens.', 'Chapter one.'),
      ],
    ],
    answer: 'It is shorter now.',
  },
  [prompts.failing]: {
    rounds: [(tools) => [tools.shell('echo not here >&2; exit 3')]],
    answer: 'The command failed.',
  },
  [prompts.shell]: {
    rounds: [(tools, at) => [tools.shell(`echo 'The end.' >> '${at('chapter-2.txt')}'`)]],
    answer: 'There is a line more.',
  },
  [prompts.halves]: {
    rounds: [
      (tools, at) => [tools.write(at('half-1.txt'), 'One half.\n')],
      (tools) => [tools.shell(`git add half-1.txt && git commit --quiet -m 'First half'`)],
      (tools, at) => [tools.write(at('half-2.txt'), 'The other half.\n')],
    ],
    answer: 'One half is committed.',
  },
  [prompts.interrupted]: {
    rounds: [(tools, at) => [tools.write(at('draft.txt'), 'A draft.\n')]],
    answer: undefined,
  },
  [prompts.instead]: {
    rounds: [(tools, at) => [tools.write(at('final.txt'), 'A final version.\n')]],
    answer: 'It is final.',
  },
  [prompts.fork]: {
    rounds: [(tools, at) => [tools.write(at('fork.txt'), 'Another way.\n')]],
    answer: 'That was another way.',
  },
}

/** Whether the conversation is that of the subagent. */
export function isDelegated({ said }: Conversation): boolean {
  return said.some(({ role, text }) => role === 'user' && text.includes(poemPrompt))
}

/**
 * The reply to a conversation; undefined when the model never answers. One that plays no act, or offers no tools, is some errand of the agent's own:
 * a title, a summary.
 */
export function reply(
  conversation: Conversation,
  tools: Dialect,
  root: string,
): Omit<Reply, 'cost'> | undefined {
  const { said } = conversation
  const asked = said.findLastIndex(({ role, text }) => role === 'user' && findAct(text) !== undefined)
  const act = findAct(said[asked]?.text ?? '')
  if (act === undefined || conversation.tools.length === 0)
    return { text: 'A few words', calls: [], isErrand: true }
  const done = said.slice(asked + 1).filter(({ role, called }) => role === 'model' && called).length
  const round = act.rounds[done]?.(tools, (path) => join(root, path), said) ?? []
  const calls = round.filter((call) => call !== undefined)
  if (calls.length > 0) return { text: done === 0 ? 'On it.' : '', calls, isErrand: false }
  if (act.answer === undefined) return undefined
  const report = tools.report?.(act.answer)
  return report && conversation.tools.includes(report.tool)
    ? { text: '', calls: [report], isErrand: false }
    : { text: act.answer, calls: [], isErrand: false }
}

function findAct(text: string): Act | undefined {
  return Object.entries(acts).find(([prompt]) => text.includes(prompt))?.[1]
}
