// Tests that a command completes its work when the reader of its output leaves early.
import { expect, test } from 'bun:test'
import { binary } from '../support/recorded-repo.ts'
import { tempRepo } from '../support/repo.ts'

test('enable, piped into a reader that leaves after one line, still enables', async () => {
  await using repo = await tempRepo()
  const { code, stdout, stderr } = await repo.run([
    'bash',
    '-c',
    `set -o pipefail; '${binary}' enable --agent claude-code | head -n 1`,
  ])
  expect({ code, out: stdout.toString() }).toEqual({ code: 0, out: 'Agent: Claude Code\n' })
  expect(stderr).not.toContain('EPIPE')
  expect(JSON.parse(repo.read('.entire/settings.json')).enabled).toBe(true)
  expect(repo.read('.git/hooks/post-commit')).toContain('# Entire CLI hooks')
  const help = await repo.run(['bash', '-c', `set -o pipefail; '${binary}' --help | true`])
  expect({ code: help.code, err: help.stderr }).toEqual({ code: 0, err: '' })
})
