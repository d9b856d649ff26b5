// `entire resume` without anything to resume, and its help.
import { expect, test } from 'bun:test'
import { entire } from '../../../test/support/entire.ts'
import { tempDir, tempRepo } from '../../../test/support/repo.ts'

test('outside a repository the command fails and says so', async () => {
  await using dir = tempDir()
  const ran = await entire(dir, ['resume'])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain("Not a git repository. Please run 'entire resume' from within a git repository.")
})

test('the help explains ambiguous names and shows examples', async () => {
  await using dir = tempDir()
  const { code, out } = await entire(dir, ['resume', '--help'])
  expect(code).toBe(0)
  expect(out).toContain('A name that is both a branch and an id means the branch.')
  expect(out).toMatch(/EXAMPLES\n +entire resume +# /)
})

test('two names are an error', async () => {
  await using repo = await tempRepo()
  expect((await entire(repo, ['resume', 'a', 'b'])).code).toBe(2)
})

test('a repository that was never enabled, or has no commit or no branch, has nothing to resume', async () => {
  await using repo = await tempRepo()
  expect(await entire(repo, ['resume'])).toMatchObject({
    code: 0,
    out: '',
    err: "No Entire checkpoint found on branch 'main'\n",
  })
  await repo.git('switch', '--quiet', '--detach')
  expect((await entire(repo, ['resume'])).err).toBe("No Entire checkpoint found on branch 'HEAD'\n")
  await repo.git('switch', '--quiet', '--orphan', 'fresh')
  expect((await entire(repo, ['resume'])).err).toBe("No Entire checkpoint found on branch 'fresh'\n")
})
