// Tells stories of agent hooks that are killed, from the prompt to the end of the session, and what completes
// their work.
import { expect } from 'bun:test'
import { expectStepIsWorktree } from '../support/step-tree.ts'
import {
  anotherTurn,
  commit,
  commitAll,
  hook,
  type Round,
  type Story,
  stage,
  text,
  turnOfBoth,
  writeBoth,
} from './killing.ts'

const task = ({ at }: Round) => ({
  tool_name: 'Task',
  tool_use_id: `toolu_task_${at}`,
  tool_input: { description: 'sub', prompt: 'do it', subagent_type: 'general-purpose' },
})

const ofUser = 'an hour of work\n'

async function expectKept({ repo }: Round): Promise<void> {
  const shadow = repo.shadow(await repo.head())
  const steps = (await repo.git('rev-list', '--first-parent', shadow)).split('\n')
  const kept = await Promise.all(steps.map((step) => repo.run(['git', 'show', `${step}:mine`])))
  expect(kept.map(({ stdout }) => Buffer.from(stdout).toString())).toContain(ofUser)
}

export const turnStories: Record<string, Story> = {
  'a prompt, then the agent works and the turn ends': {
    before: anotherTurn,
    event: (round) => hook(round, 'user-prompt-submit', { prompt: `round ${round.at}` }),
    async after(round) {
      writeBoth(round)
      await round.agent.stop()
      await commitAll(round)
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
  'a prompt that finds work of the user, which the agent then overwrites': {
    async before(round) {
      await anotherTurn(round)
      round.repo.write('mine', ofUser)
    },
    event: (round) => hook(round, 'user-prompt-submit', { prompt: `round ${round.at}` }),
    async after(round) {
      // The agent goes on when its hook was killed, and so does the next one.
      await round.agent.prompt(`round ${round.at} again`)
      await expectStepIsWorktree(round.repo)
      round.agent.write('mine', text('mine', round.at))
      writeBoth(round)
      await round.agent.stop()
      await expectStepIsWorktree(round.repo)
      await expectKept(round)
      await commitAll(round)
    },
    recorded: ({ a, b }) => [['HEAD', [a, b, 'mine']]],
  },
  'the end of a turn, then another turn': {
    before: turnOfBoth,
    event: (round) => hook(round, 'stop'),
    async after(round) {
      await anotherTurn(round)
      await commitAll(round)
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
  'the end of a turn, then a commit': {
    before: turnOfBoth,
    event: (round) => hook(round, 'stop'),
    async after(round) {
      await commitAll(round)
      await anotherTurn(round)
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
  'the end of a turn that commits automatically': {
    strategy: 'auto-commit',
    before: turnOfBoth,
    event: (round) => hook(round, 'stop'),
    after: anotherTurn,
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
  'the end of a turn that commits automatically and overwrites work of the user': {
    strategy: 'auto-commit',
    async before(round) {
      round.repo.write('mine', ofUser)
      await turnOfBoth(round)
      round.agent.write('mine', text('mine', round.at))
    },
    event: (round) => hook(round, 'stop'),
    async after(round) {
      await anotherTurn(round)
      await expectKept(round)
      round.repo.write('more', 'by the user\n')
      await commitAll(round)
    },
    recorded: ({ a, b }) => [['HEAD~1', [a, b, 'mine']]],
  },
  'the end of a turn with a commit in it': {
    async before(round) {
      await turnOfBoth(round)
      await round.repo.commitAs('agent', `mine ${round.at}`, round.a)
      round.agent.say('Committed one.')
    },
    event: (round) => hook(round, 'stop'),
    async after(round) {
      await anotherTurn(round)
      await commitAll(round)
    },
    recorded: ({ b }) => [['HEAD', [b]]],
  },
  'the end of a subagent': {
    async before(round) {
      await round.agent.prompt(`round ${round.at}`)
      await round.agent.hook('pre-task', task(round))
      writeBoth(round)
    },
    event: (round) => hook(round, 'post-task', { ...task(round), tool_response: { agentId: 'a1' } }),
    async after(round) {
      await round.agent.stop()
      await commitAll(round)
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
  'the end of a turn after HEAD moved': {
    async before(round) {
      const { repo, agent, a, b, at } = round
      await agent.turn(`first ${at}`, { [a]: text(a, at) })
      repo.write(`by-hand-${at}`, `${at}\n`)
      await stage(round, `by-hand-${at}`)
      await repo.git('-c', 'core.hooksPath=/dev/null', ...commit(`by hand ${at}`))
      await agent.prompt(`second ${at}`)
      agent.write(b, text(b, at))
    },
    event: (round) => hook(round, 'stop'),
    async after(round) {
      await anotherTurn(round)
      await commitAll(round)
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
  'a compaction, then the session is gone': {
    before: turnOfBoth,
    event: (round) => hook(round, 'pre-compact', { trigger: 'auto' }),
    async after(round) {
      await commitAll(round)
      await anotherTurn(round)
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
  'the end of a session in mid-turn': {
    before: turnOfBoth,
    event: (round) => hook(round, 'session-end', { reason: 'other' }),
    async after(round) {
      await commitAll(round)
      await anotherTurn(round)
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
}
