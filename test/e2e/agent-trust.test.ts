// Tests agents that run hooks only with the user's permission: enable and doctor say what is missing.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventKey, hookHash } from '../../src/agents/codex/obstacle.ts'
import { doctor } from '../support/doctor.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(60_000)

const homeOf = (repo: RecordedRepo, dir: string) => join(repo.base, 'home', dir)

/** Writes what Codex writes when its user agrees to the listed hooks. */
function agree(repo: RecordedRepo): string {
  const path = join(repo.root, '.codex/hooks.json')
  const { hooks } = JSON.parse(readFileSync(path, 'utf8')) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>
  }
  return Object.entries(hooks)
    .map(([event, [group]]) => {
      const hash = hookHash(event, {}, group?.hooks[0] ?? {})
      return `[hooks.state."${path}:${eventKey(event)}:0:0"]\ntrusted_hash = "${hash}"\n`
    })
    .join('\n')
}

test('Codex: enable and doctor print the next step until its hooks are trusted, and never edit the user’s configuration', async () => {
  await using repo = await recordedRepo()
  await repo.commitAs('human', 'begin')
  const config = join(homeOf(repo, '.codex'), 'config.toml')
  mkdirSync(homeOf(repo, '.codex'))
  writeFileSync(config, '# mine\nmodel = "gpt-5.5"\n')
  const enabled = await repo.entire(['enable', '--agent', 'codex'])
  expect(enabled.code).toBe(0)
  expect(enabled.err).toContain(`Note: Codex does not trust ${repo.root} yet`)
  expect(enabled.err).toContain('then open `/hooks`, and trust the hooks of .codex/hooks.json.')
  expect(await doctor(repo)).toMatchObject({
    code: 1,
    findings: [{ id: 'agent-hooks-held-back', subject: 'codex', severity: 'warning', fixable: false }],
  })

  appendFileSync(config, `\n[projects."${repo.root}"]\ntrust_level = "trusted"\n`)
  const waiting = await doctor(repo)
  expect(waiting.findings[0]).toMatchObject({
    title: expect.stringContaining('8 of the 8 hooks'),
    fix: expect.stringContaining('`/hooks`'),
  })
  // Enabling again changes nothing, and still prints the hint.
  expect((await repo.entire(['enable'])).err).toContain('8 of the 8 hooks')
  expect((await repo.entire(['agent', 'add', 'codex'])).err).toContain('8 of the 8 hooks')

  appendFileSync(config, `\n${agree(repo)}`)
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
  expect((await repo.entire(['enable'])).err).not.toContain('Codex')

  // Hooks that are reinstalled under another name need the permission again.
  await repo.entire(['enable', '--agent', 'codex', '--absolute-git-hook-path', '--force'])
  expect((await doctor(repo)).findings.map(({ id, subject }) => `${id} ${subject}`)).toContain(
    'agent-hooks-held-back codex',
  )
  expect(readFileSync(config, 'utf8')).toStartWith('# mine\nmodel = "gpt-5.5"\n\n[projects')
})

test('Gemini CLI: a directory must be trusted', async () => {
  await using repo = await recordedRepo({ agent: 'gemini' })
  await repo.commitAs('human', 'begin')
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
  mkdirSync(homeOf(repo, '.gemini'))
  expect(await doctor(repo)).toMatchObject({
    code: 1,
    findings: [{ id: 'agent-hooks-held-back', subject: 'gemini' }],
  })
  writeFileSync(
    join(homeOf(repo, '.gemini'), 'trustedFolders.json'),
    JSON.stringify({ [repo.root]: 'TRUST_FOLDER' }),
  )
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
})
