// Defines the rules on the name of the executable, on the answer to `info`, and on calls that must fail.

import { basename } from 'node:path'
import { executablePrefix } from '../../../protocol/external-agent/subcommand.ts'
import { hold } from '../rule.ts'
import { changedPaths, readFileDigests } from '../sandbox.ts'
import { type AgentRule, hookInput, sampleSessionId } from './trial.ts'

export function nameOf(executable: string): string {
  const file = basename(executable).replace(/\.(?:exe|cmd|bat)$/i, '')
  return file.startsWith(executablePrefix) ? file.slice(executablePrefix.length) : ''
}

export const infoRules: AgentRule[] = [
  {
    id: 'executable/name',
    title: `The executable is named ${executablePrefix}<name>`,
    level: 'must',
    run: async ({ executable }) =>
      hold(nameOf(executable) !== '', {
        expected: `a file named ${executablePrefix}<name>`,
        received: basename(executable),
        fix: 'Rename it: plugins are found by their file name.',
      }),
  },
  {
    id: 'info/answers',
    title: '`info` prints the name and the capabilities of the plugin',
    level: 'must',
    run: async ({ ask, learn }) => learn(await ask('info', {})),
  },
  {
    id: 'info/name',
    title: '`name` is the name of the executable',
    level: 'must',
    needs: ['executable/name', 'info/answers'],
    run: async ({ executable, info }) =>
      hold(info.name === nameOf(executable), {
        expected: JSON.stringify(nameOf(executable)),
        received: JSON.stringify(info.name),
        fix: `Rename the executable to ${executablePrefix}${info.name}, or answer "name": "${nameOf(executable)}". Otherwise the plugin is skipped.`,
      }),
  },
  {
    id: 'info/hooks',
    title: '`hook_names` is filled exactly when the capability `hooks` is declared',
    level: 'must',
    needs: ['info/answers'],
    run: async ({ info }) =>
      hold((info.capabilities.hooks === true) === info.hook_names.length > 0, {
        expected: info.capabilities.hooks ? 'at least one name in `hook_names`' : 'no `hook_names`',
        received: JSON.stringify(info.hook_names),
        fix: 'Declare the capability `hooks` and list the hooks, or do neither.',
      }),
  },
  {
    id: 'info/hook-names',
    title: 'Hook names are distinct words',
    level: 'must',
    needs: ['info/answers'],
    run: async ({ info }) => {
      const wrong = info.hook_names.filter(
        (name, at) => !/^[A-Za-z0-9][\w.:-]*$/.test(name) || info.hook_names.indexOf(name) !== at,
      )
      hold(wrong.length === 0, {
        expected: 'names of letters, digits, `-`, `_`, `.` and `:`, each once',
        received: JSON.stringify(wrong),
        fix: 'Choose other names: each becomes a command, `entire hooks <agent> <hook>`.',
      })
    },
  },
  {
    id: 'info/protected-dirs',
    title: 'Protected paths are inside the repository',
    level: 'must',
    needs: ['info/answers'],
    run: async ({ info }) => {
      const wrong = [...info.protected_dirs, ...info.protected_files].filter((path) => !isRepoPath(path))
      hold(wrong.length === 0, {
        expected: 'paths relative to the root of the repository, such as ".myagent"',
        received: JSON.stringify(wrong),
        fix: 'Name only files of the agent: they are left out of checkpoints, and a rewind never deletes them.',
      })
    },
  },
  {
    id: 'info/caller-env',
    title: 'Names in `caller_env_vars` are environment variables in upper case',
    level: 'should',
    needs: ['info/answers'],
    run: async ({ info }) => {
      const wrong = info.capabilities.caller_env_vars.filter((name) => !/^[A-Z][A-Z0-9_]{1,63}$/.test(name))
      hold(wrong.length === 0, {
        expected: 'names such as "MYAGENT_SESSION"',
        received: JSON.stringify(wrong),
        fix: 'Use such names: others are ignored. List variables that only processes of the agent have.',
      })
    },
  },
  {
    id: 'info/stable',
    title: '`info` returns the same answer each time',
    level: 'should',
    needs: ['info/answers'],
    run: async ({ ask, info }) => {
      const again = await ask('info', {})
      hold(JSON.stringify(again) === JSON.stringify(info), {
        expected: JSON.stringify(info),
        received: JSON.stringify(again),
        fix: 'Return a constant answer: it is cached until the file changes. `detect` may depend on the repository.',
      })
    },
  },
  {
    id: 'errors/unknown-subcommand',
    title: 'An unknown subcommand is refused',
    level: 'must',
    needs: ['info/answers'],
    run: ({ refuse }) => refuse(['this-subcommand-does-not-exist'], undefined, 'there is no such subcommand'),
  },
  {
    id: 'errors/no-subcommand',
    title: 'A call without a subcommand is refused',
    level: 'must',
    needs: ['info/answers'],
    run: ({ refuse }) => refuse([], undefined, 'it has no subcommand'),
  },
  {
    id: 'errors/missing-argument',
    title: 'A call without a required argument is refused',
    level: 'should',
    needs: ['info/answers'],
    run: async ({ refuse }) => {
      await refuse(['resolve-session-file'], undefined, '--session-dir and --session-id are missing')
      await refuse(['chunk-transcript'], 'text', '--max-size is missing')
    },
  },
  {
    id: 'environment/read-only',
    title: 'Subcommands that only read change nothing in the repository',
    level: 'should',
    needs: ['info/answers'],
    run: async ({ run, info, root }) => {
      const before = readFileDigests(root)
      const payload = hookInput(sampleSessionId, '')
      for (const words of [
        ['info'],
        ['detect'],
        ['get-session-dir', '--repo-path', root],
        ['format-resume-command', '--session-id', 'a'],
      ]) {
        await run(words)
      }
      for (const hook of info.hook_names) await run(['parse-hook', '--hook', hook], payload)
      const changed = changedPaths(before, readFileDigests(root))
      hold(changed.length === 0, {
        expected: 'no change of the work tree',
        received: JSON.stringify(changed),
        fix: 'Keep files of your own in the home directory of the user: files in the work tree become part of steps.',
      })
    },
  },
]

function isRepoPath(path: string): boolean {
  const parts = path.split(/[/\\]/).filter((part, at, all) => part !== '' || at < all.length - 1)
  return (
    parts.length > 0 &&
    !parts.some((part) => ['', '.', '..', '.git'].includes(part)) &&
    !/^[A-Za-z]:/.test(path)
  )
}
