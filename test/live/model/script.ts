// Scripts the model: for each prompt the tools it calls, round by round, and its final answer.
import { join } from 'node:path'
import type { Call, Conversation, Reply } from './conversation.ts'
import type { Dialect } from './dialect.ts'

export const prompts = {
  create: 'Write greeting.txt please',
  edit: 'Make the greeting friendlier',
  delegate: 'Have a colleague write a poem',
  commit: 'Commit the text files',
  twoFiles: 'Write two chapters',
  shorten: 'Make the first chapter shorter',
  failing: 'Run a command that fails',
} as const

/** The task of the subagent. */
const poemPrompt = 'Compose poem.txt'

export const contents = {
  greeting: 'Good morning.\n',
  friendlier: 'Good morning, dear reader.\n',
  poem: 'Roses are red.\n',
  chapters: ['Chapter one, in which nothing happens.\n', 'Chapter two.\n'],
  shorter: 'Chapter one.\n',
} as const

interface Act {
  /** Every round is the tool calls of one reply. */
  rounds: ((tools: Dialect, at: (path: string) => string) => (Call | undefined)[])[]
  answer: string
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
      (tools, at) => [tools.edit(at('greeting.txt'), 'morning.', 'morning, dear reader.')],
    ],
    answer: 'It is friendlier now.',
  },
  [prompts.delegate]: {
    rounds: [(tools) => [tools.delegate?.(poemPrompt)]],
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
      (tools, at) => [tools.edit(at('chapter-1.txt'), 'one, in which nothing happens.', 'one.')],
    ],
    answer: 'It is shorter now.',
  },
  [prompts.failing]: {
    rounds: [(tools) => [tools.shell('echo not here >&2; exit 3')]],
    answer: 'The command failed.',
  },
}

/**
 * The reply to a conversation. One that plays no act, or offers no tools, is some errand of the agent's own:
 * a title, a summary.
 */
export function reply(conversation: Conversation, tools: Dialect, root: string): Reply {
  const { said } = conversation
  const asked = said.findLastIndex(({ role, text }) => role === 'user' && findAct(text) !== undefined)
  const act = findAct(said[asked]?.text ?? '')
  if (act === undefined || conversation.tools.length === 0) return { text: 'A few words', calls: [] }
  const done = said.slice(asked + 1).filter(({ role, called }) => role === 'model' && called).length
  const round = act.rounds[done]?.(tools, (path) => join(root, path)) ?? []
  const calls = round.filter((call) => call !== undefined)
  if (calls.length > 0) return { text: done === 0 ? 'On it.' : '', calls }
  const report = tools.report?.(act.answer)
  return report && conversation.tools.includes(report.tool)
    ? { text: '', calls: [report] }
    : { text: act.answer, calls: [] }
}

function findAct(text: string): Act | undefined {
  return Object.entries(acts).find(([prompt]) => text.includes(prompt))?.[1]
}
