// Tells stories of git hooks that are killed, before and after the commit, and what completes their work.
import { anotherTurn, commit, commitAll, type Story, savedTurn, stage, text, turnOfBoth } from './killing.ts'

export const commitStories: Record<string, Story> = {
  'a commit about to be linked, then another turn and a commit': {
    before: savedTurn,
    async event(round) {
      await stage(round, round.a)
      return round.repo.gitKilling('prepare-commit-msg', round.at, commit(`a ${round.at}`))
    },
    async after(round) {
      await anotherTurn(round)
      await commitAll(round)
    },
    // If the hook was killed before it wrote the trailer, the commit is linked by a note.
    recorded: ({ a, b }) => [
      ['HEAD~', [a]],
      ['HEAD', [b]],
    ],
  },
  'a commit of two sessions, then another turn': {
    async before(round) {
      await savedTurn(round)
      await round.other.turn('me too', { [`${round.a}-other`]: text('other', round.at) })
    },
    async event(round) {
      await stage(round)
      return round.repo.gitKilling('post-commit', round.at, commit(`both ${round.at}`))
    },
    after: anotherTurn,
    recorded: ({ a, b, other }) => [
      ['HEAD', [a, b]],
      ['HEAD', [`${a}-other`], other],
    ],
  },
  'a commit, then the next commit': {
    before: savedTurn,
    async event(round) {
      await stage(round, round.a)
      return round.repo.gitKilling('post-commit', round.at, commit(`a ${round.at}`))
    },
    after: commitAll,
    recorded: ({ a, b }) => [
      ['HEAD~', [a]],
      ['HEAD', [b]],
    ],
  },
  'a commit, then amending it': {
    before: savedTurn,
    async event(round) {
      await stage(round)
      return round.repo.gitKilling('post-commit', round.at, commit(`all ${round.at}`))
    },
    async after({ repo }) {
      await repo.git('commit', '--quiet', '--amend', '--no-edit')
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
  'a commit, then a checkout of another branch': {
    before: savedTurn,
    async event(round) {
      await stage(round)
      return round.repo.gitKilling('post-commit', round.at, commit(`all ${round.at}`))
    },
    async after(round) {
      const { repo, at } = round
      await repo.git('checkout', '--quiet', '-b', `side-${at}`, 'HEAD~')
      await anotherTurn(round)
      await repo.git('checkout', '--quiet', 'main')
    },
    recorded: ({ a, b }) => [['main', [a, b]]],
  },
  'an amendment, then the rest is committed': {
    async before(round) {
      await savedTurn(round)
      await round.repo.commitAs('human', `a ${round.at}`, round.a)
      round.repo.write(`by-hand-${round.at}`, 'forgotten\n')
      await stage(round, `by-hand-${round.at}`)
    },
    event: ({ repo, at }) =>
      repo.gitKilling('post-rewrite', at, ['commit', '--quiet', '--amend', '--no-edit']),
    after: commitAll,
    recorded: ({ a, b }) => [
      ['HEAD~', [a]],
      ['HEAD', [b]],
    ],
  },
  'a commit by the agent in mid-turn': {
    before: turnOfBoth,
    async event(round) {
      await stage(round)
      return round.repo.gitKilling('post-commit', round.at, commit(`mine ${round.at}`), {
        ENTIRE_TEST_TTY: '0',
      })
    },
    async after({ agent }) {
      agent.say('Committed.')
      await agent.stop()
    },
    recorded: ({ a, b }) => [['HEAD', [a, b]]],
  },
}
