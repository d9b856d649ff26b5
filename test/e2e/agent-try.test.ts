// Plays the samples of a plugin with `entire agent try`, and looks at the checkpoint that it shows.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { entire } from '../support/entire.ts'
import { tempDir } from '../support/repo.ts'

setDefaultTimeout(60_000)

test('a new plugin shows the checkpoint of its samples, and leaves nothing behind', async () => {
  await using dir = tempDir()
  // The Python of the system, because a version switcher makes each start slow.
  dir.env.PATH = `/usr/bin:${dir.env.PATH}`
  expect(await entire(dir, ['agent', 'new', 'owl', '--lang', 'python'])).toMatchObject({ code: 0 })
  const plugin = join(dir.base, 'entire-agent-owl')
  const played = await entire(dir, ['agent', 'try', plugin])
  expect([played.code, played.err]).toEqual([0, expect.stringContaining('Saved step 1 of session sample-1')])
  expect(played.out).toContain('Intent: Fix the login')
  expect(played.out).toMatch(/^prompt +TurnStart +sample-1$/m)
  expect(played.out).toMatch(/^something-else +no event/m)
  expect(played.out).toContain('Tokens: 128')
  expect(played.out).toContain('  - src/login.ts')
  expect(played.out).toContain('[Assistant] Fixed.')
  const { hooks, checkpoints } = JSON.parse((await entire(dir, ['agent', 'try', plugin, '--json'])).out)
  expect(hooks).toHaveLength(5)
  expect(checkpoints).toMatchObject([{ files_touched: ['src/login.ts'] }])
  // Samples without the end of a turn.
  writeFileSync(
    join(plugin, 'fixtures.json'),
    '{"hooks":[{"hook":"prompt","payload":{"session_id":"a"},"event":{}}]}',
  )
  expect(await entire(dir, ['agent', 'try', plugin])).toMatchObject({
    code: 1,
    err: expect.stringContaining('No hook in the fixtures ends a turn'),
  })
  writeFileSync(join(plugin, 'entire-agent-owl'), '#!/bin/sh\necho nonsense\n')
  expect(await entire(dir, ['agent', 'try', plugin])).toMatchObject({
    code: 1,
    err: expect.stringContaining('not JSON: nonsense'),
  })
  chmodSync(join(plugin, 'entire-agent-owl'), 0o644)
  expect(await entire(dir, ['agent', 'try', plugin])).toMatchObject({
    code: 1,
    err: expect.stringContaining('chmod +x'),
  })
})
