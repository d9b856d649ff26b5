// Defines the rules on installing and removing hooks, and on the events that their payloads become.

import { hold } from '../rule.ts'
import { changedPaths, readFileDigests } from '../sandbox.ts'
import { type AgentRule, type AgentTrial, hookInput, sampleSessionId } from './trial.ts'

const install = (trial: AgentTrial, options: { force?: boolean; localDev?: boolean } = {}) =>
  trial.ask('install-hooks', { force: options.force ?? false, 'local-dev': options.localDev ?? false })

async function expectInstalled(trial: AgentTrial, expected: boolean, when: string): Promise<void> {
  const { installed } = await trial.ask('are-hooks-installed', {})
  hold(installed === expected, {
    expected: `"installed": ${expected} ${when}`,
    received: `"installed": ${installed}`,
    fix: 'Read the files that `install-hooks` writes below ENTIRE_REPO_ROOT on every call.',
  })
}

const hooks = { requires: 'hooks', level: 'must' } as const

export const agentHookRules: AgentRule[] = [
  {
    id: 'are-hooks-installed/before',
    title: 'In a fresh repository no hooks are installed',
    ...hooks,
    run: (trial) => expectInstalled(trial, false, 'in a fresh repository'),
  },
  {
    id: 'install-hooks/first',
    title: 'Installing adds hooks, and they are installed afterwards',
    ...hooks,
    needs: ['are-hooks-installed/before'],
    run: async (trial) => {
      const { hooks_installed } = await install(trial)
      hold(hooks_installed > 0, {
        expected: 'at least 1',
        received: '0',
        fix: 'Count the entries that were added.',
      })
      await expectInstalled(trial, true, 'after `install-hooks`')
    },
  },
  {
    id: 'install-hooks/again',
    title: 'Installing again adds nothing',
    ...hooks,
    needs: ['install-hooks/first'],
    run: async (trial) => {
      await install(trial)
      const { hooks_installed } = await install(trial)
      hold(hooks_installed === 0, {
        expected: '0',
        received: String(hooks_installed),
        fix: 'Leave existing entries as they are.',
      })
    },
  },
  {
    id: 'install-hooks/force',
    title: 'Installing with --force writes the hooks again',
    ...hooks,
    needs: ['install-hooks/first'],
    run: async (trial) => {
      await install(trial)
      const { hooks_installed } = await install(trial, { force: true })
      hold(hooks_installed > 0, {
        expected: 'at least 1',
        received: '0',
        fix: 'With --force, replace your entries and count them.',
      })
    },
  },
  {
    id: 'install-hooks/local-dev',
    title: 'Installing accepts --local-dev',
    ...hooks,
    needs: ['install-hooks/first'],
    run: async (trial) => {
      await install(trial, { localDev: true })
    },
  },
  {
    id: 'install-hooks/protected',
    title: 'Hooks are installed only in protected paths',
    ...hooks,
    level: 'should',
    needs: ['install-hooks/first'],
    run: async (trial) => {
      const before = readFileDigests(trial.root)
      await install(trial)
      const protectedPaths = [...trial.info.protected_dirs, ...trial.info.protected_files].map((path) =>
        path.replace(/[/\\]+$/, ''),
      )
      const outside = changedPaths(before, readFileDigests(trial.root)).filter(
        (path) => !protectedPaths.some((dir) => path === dir || path.startsWith(`${dir}/`)),
      )
      hold(outside.length === 0, {
        expected: `changes only in ${JSON.stringify(protectedPaths)}`,
        received: JSON.stringify(outside),
        fix: 'Add them to `protected_dirs` or `protected_files`, so that a rewind leaves them alone.',
      })
    },
  },
  {
    id: 'uninstall-hooks/removes',
    title: 'Uninstalling removes the hooks',
    ...hooks,
    needs: ['install-hooks/first'],
    run: async (trial) => {
      await install(trial)
      await trial.bytes('uninstall-hooks', {})
      await expectInstalled(trial, false, 'after `uninstall-hooks`')
    },
  },
  {
    id: 'uninstall-hooks/no-trace',
    title: 'Uninstalling leaves the repository as it was',
    ...hooks,
    level: 'should',
    needs: ['uninstall-hooks/removes'],
    run: async (trial) => {
      const before = readFileDigests(trial.root)
      await install(trial)
      await trial.bytes('uninstall-hooks', {})
      const left = changedPaths(before, readFileDigests(trial.root))
      hold(left.length === 0, {
        expected: 'no change',
        received: JSON.stringify(left),
        fix: 'Remove files that are empty after the hooks are removed.',
      })
    },
  },
  {
    id: 'uninstall-hooks/nothing',
    title: 'Uninstalling succeeds when there is nothing to remove',
    ...hooks,
    level: 'should',
    needs: ['uninstall-hooks/removes'],
    run: async (trial) => {
      await trial.bytes('uninstall-hooks', {})
    },
  },
  {
    id: 'parse-hook/empty',
    title: 'A hook without a payload is not a failure',
    ...hooks,
    run: async ({ info, ask }) => {
      for (const hook of info.hook_names) await ask('parse-hook', { hook })
    },
  },
  {
    id: 'parse-hook/events',
    title: 'Each hook returns null or a valid event',
    ...hooks,
    needs: ['parse-hook/empty'],
    run: async ({ info, ask }) => {
      for (const hook of info.hook_names) {
        const event = await ask(
          'parse-hook',
          { hook },
          { ...hookInput(sampleSessionId, '', hook), prompt: 'Fix the login' },
        )
        hold(event === null || event.session_id !== '', {
          expected: `an event of \`${hook}\` with a session_id`,
          received: JSON.stringify(event),
          fix: 'An event without a session cannot be recorded: answer `null`, or fail.',
        })
      }
    },
  },
]
