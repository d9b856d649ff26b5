// Defines the rules on the manifest, on the end of an extension, and on what it changes around it.

import { join } from 'node:path'
import { manifestName } from '../../../extensions/manifest.ts'
import { permissionMeanings } from '../../../protocol/extension/method.ts'
import { readBytes } from '../../../std/file.ts'
import { hold } from '../rule.ts'
import { changedPaths, readFileDigests } from '../sandbox.ts'
import { describeExit, type Probe, withPrinted } from './probe.ts'
import { unknownMethod } from './rules-requests.ts'
import type { ExtensionRule } from './trial.ts'

/** Closes the channel, after which the extension must end by itself with exit code 0. */
async function expectEnd(probe: Probe, withinMs: number, when: string): Promise<void> {
  probe.closeInput()
  const exit = await probe.endWithin(withinMs)
  hold(exit !== undefined, {
    expected: `the end of the process within ${withinMs / 1000} s, ${when}`,
    received: withPrinted('it is still running', probe),
    fix: 'Exit at the end of the input: stop timers and close connections. Otherwise the process is killed.',
  })
  hold(exit.code === 0, {
    expected: `exit code 0, ${when}`,
    received: withPrinted(describeExit(exit), probe),
    fix: 'Exit with code 0: the end of the channel is the usual end, not an error.',
  })
}

export const endRules: ExtensionRule[] = [
  {
    id: 'end/channel-closed',
    title: 'It ends when its channel is closed',
    level: 'must',
    run: async ({ start, limits }) => expectEnd(await start(), limits.endMs, 'after the channel was closed'),
  },
  {
    id: 'end/never-started',
    title: 'It ends when its channel is closed before `initialize`',
    level: 'must',
    needs: ['end/channel-closed'],
    run: async ({ open, limits }) =>
      expectEnd(open(), limits.endMs + 1000, 'when the channel is closed before `initialize`'),
  },
  {
    id: 'end/shutdown',
    title: 'It ends with exit code 0 after `shutdown`',
    level: 'must',
    needs: ['end/channel-closed'],
    run: async ({ start, limits, settle }) => {
      const probe = await start()
      probe.tell('shutdown')
      await settle()
      await expectEnd(probe, limits.endMs, 'after `shutdown`')
    },
  },
  {
    id: 'end/in-the-middle',
    title: 'It ends when its channel is closed in the middle of a line',
    level: 'should',
    needs: ['end/channel-closed'],
    run: async ({ start, limits }) => {
      const probe = await start()
      await probe.write(`{"jsonrpc":"2.0","method":"${unknownMethod}","par`)
      await expectEnd(probe, limits.endMs, 'when the channel is closed in the middle of a line')
    },
  },
  {
    id: 'transport/without-fd',
    title: 'It uses standard input and output when there are no descriptors 3 and 4',
    level: 'should',
    run: async ({ start, manifest }) => {
      if (manifest.transport === 'fd') return 'the manifest says transport: fd'
      await start({ manifest: { ...manifest, transport: 'stdio' }, env: { PIGLET_FD: undefined } })
      return undefined
    },
  },
  {
    id: 'environment/project',
    title: 'Starting it changes nothing in the project',
    level: 'should',
    run: async ({ start, project, settle }) => {
      const before = readFileDigests(project)
      await start()
      await settle()
      const changed = changedPaths(before, readFileDigests(project))
      hold(changed.length === 0, {
        expected: 'no change in the project',
        received: JSON.stringify(changed),
        fix: 'Keep files of your own in `configDir`, which `initialize` names.',
      })
    },
  },
  {
    id: 'environment/own-files',
    title: 'Starting it does not change its own program',
    level: 'must',
    run: async ({ start, manifest, settle }) => {
      const paths = [manifestName, manifest.entry]
        .filter((path) => path !== '')
        .map((path) => join(manifest.dir, path))
      const read = () => paths.map((path) => readBytes(path)?.toString('base64'))
      const before = read()
      await start()
      await settle()
      const changed = paths.filter((_path, at) => read()[at] !== before[at])
      hold(changed.length === 0, {
        expected: 'manifest and entry to stay as they were',
        received: `changed: ${changed.join(', ')}`,
        fix: 'Write elsewhere: hosts watch these files, and restart the extension each time they change.',
      })
    },
  },
]

export const manifestRules: ExtensionRule[] = [
  {
    id: 'manifest/version',
    title: 'The manifest has a version',
    level: 'should',
    run: async ({ manifest }) =>
      hold(manifest.version !== '', {
        expected: '`version` in manifest.yaml',
        received: 'none',
        fix: 'Add it: `piglet ext list` shows it, and users name it in bug reports.',
      }),
  },
  {
    id: 'manifest/permissions',
    title: 'Every listed permission exists',
    level: 'must',
    run: async ({ manifest }) => {
      const wrong = (manifest.permissions ?? []).filter((permission) => !isPermission(permission))
      hold(wrong.length === 0, {
        expected: `permissions among ${Object.keys(permissionMeanings).join(', ')}; \`auth\` and \`env\` with a name, as in auth:openai`,
        received: wrong.join(', '),
        fix: 'Correct them: an unknown permission permits nothing.',
      })
    },
  },
]

function isPermission(text: string): boolean {
  if (text === '*' || Object.hasOwn(permissionMeanings, text)) return true
  // The first word alone stands for all permissions that begin with it.
  return (
    /^(?:auth|env):\S+$/.test(text) ||
    Object.keys(permissionMeanings).some((name) => name.startsWith(`${text}:`))
  )
}
