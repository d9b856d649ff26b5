// What the manifest says, beyond being readable: without that there is nothing to check.
import { capabilities } from '../../protocol/extension-method.ts'
import { hold } from '../conformance/broken.ts'
import type { Rule } from './rule.ts'

export const manifestRules: Rule[] = [
  {
    id: 'manifest/version',
    title: 'The manifest has a version',
    level: 'should',
    run: async ({ manifest }) =>
      hold(manifest.version !== '', {
        expected: '`version` in manifest.yaml',
        received: 'none',
        fix: 'Add it: this is what `piglet ext list` shows, and what people name in bug reports.',
      }),
  },
  {
    id: 'manifest/permissions',
    title: 'Every permission in the list is one there is',
    level: 'must',
    run: async ({ manifest }) => {
      const wrong = (manifest.permissions ?? []).filter((permission) => !isPermission(permission))
      hold(wrong.length === 0, {
        expected: `permissions out of ${Object.keys(capabilities).join(', ')}; \`auth\` and \`env\` with a name, as in auth:openai`,
        received: wrong.join(', '),
        fix: 'Correct them: a permission that nobody knows permits nothing.',
      })
    },
  },
]

function isPermission(text: string): boolean {
  if (text === '*' || Object.hasOwn(capabilities, text)) return true
  // The first word alone stands for all of its kind.
  return /^(?:auth|env):\S+$/.test(text) || Object.keys(capabilities).some((name) => name.startsWith(`${text}:`))
}
