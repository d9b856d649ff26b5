// Tests plugins that are gone while their hooks are still installed: each command says so, and what to do.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { doctor } from '../support/doctor.ts'
import { type ExternalRepo, openToAll, putPlugin, repoWithPlugins } from '../support/external-repo.ts'
import { on } from '../support/plugin-defects.ts'

setDefaultTimeout(60_000)

async function enabledRepo(): Promise<ExternalRepo & { plugin: string }> {
  const repo = await repoWithPlugins()
  const plugin = putPlugin(repo)
  const enabled = await repo.entire(['enable', '--agent', 'sample'])
  if (enabled.code !== 0) throw new Error(enabled.err)
  await repo.commitAs('human', 'begin')
  return { ...repo, plugin }
}

test('uninstalling says each time that the hooks of a plugin that is gone are still installed', async () => {
  await using repo = await enabledRepo()
  rmSync(repo.plugin)
  const first = await repo.entire(['disable', '--uninstall', '--force'])
  expect(first.out).toContain('Removed Claude Code hooks')
  expect(first.out).not.toContain('Removed Sample hooks')
  const again = await repo.entire(['disable', '--uninstall', '--force'])
  for (const { code, out, err } of [first, again]) {
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('The hooks of Sample could not be removed'),
    })
    expect(err).toContain('`entire hooks sample` (in .sample')
    expect(out).not.toContain('successfully')
  }
  expect(existsSync(join(repo.root, '.sample', 'hooks'))).toBe(true)
})

test('once the plugin is back, uninstalling removes its hooks, whatever the settings say', async () => {
  await using repo = await enabledRepo()
  rmSync(repo.plugin)
  await repo.entire(['disable', '--uninstall', '--force'])
  putPlugin(repo)
  const { code, out } = await repo.entire(['disable', '--uninstall', '--force'])
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('Removed Sample hooks') })
  expect(existsSync(join(repo.root, '.sample', 'hooks'))).toBe(false)
  expect((await repo.entire(['disable', '--uninstall', '--force'])).out).toContain('Entire is not installed')
})

test('after `agent remove`, doctor no longer reports hooks that were removed by hand', async () => {
  await using repo = await enabledRepo()
  rmSync(repo.plugin)
  const { code, err } = await repo.entire(['agent', 'remove', 'sample'])
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('the entries that call `entire hooks sample`'),
  })
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
  expect(await repo.entire(['disable', '--uninstall', '--force'])).toMatchObject({ code: 0 })
})

test('doctor names a plugin that is missing or cannot be used', async () => {
  await using repo = await enabledRepo()
  openToAll(repo.plugin)
  const found = { id: 'plugin-gone', subject: 'sample', severity: 'error', fixable: false }
  expect(await doctor(repo)).toMatchObject({ code: 1, findings: [found] })
  rmSync(repo.plugin)
  const { code, findings } = await doctor(repo)
  expect({ code, findings }).toMatchObject({ code: 1, findings: [found] })
  expect(findings[0]?.detail).toContain('entire-agent-sample is no longer on the PATH')
  expect(findings[0]?.fix).toContain('`entire hooks sample`')
})

test('doctor reports when the settings refuse the hooks of a plugin, or the hooks are missing', async () => {
  await using repo = await enabledRepo()
  writeFileSync(join(repo.root, '.entire/settings.local.json'), '{}\n')
  expect(await doctor(repo)).toMatchObject({
    code: 1,
    findings: [{ id: 'external-agents-off', subject: 'sample' }],
  })
  writeFileSync(join(repo.root, '.entire/settings.local.json'), '{"external_agents": true}\n')
  rmSync(join(repo.root, '.sample'), { recursive: true })
  const { code, findings } = await doctor(repo)
  expect({ code, findings }).toMatchObject({
    code: 1,
    findings: [{ id: 'agent-hooks-missing', subject: 'sample', fixable: true }],
  })
  expect(await doctor(repo, ['--force'])).toMatchObject({ code: 0, findings: [] })
  expect(existsSync(join(repo.root, '.sample', 'hooks'))).toBe(true)
})

test('doctor reports a plugin that cannot tell whether its hooks are installed', async () => {
  await using repo = await enabledRepo()
  putPlugin(repo, on('are-hooks-installed', 'echo "the disk said no" >&2; exit 1'))
  const { code, findings } = await doctor(repo)
  expect({ code, findings }).toMatchObject({
    code: 1,
    findings: [
      {
        id: 'agent-hooks-unknown',
        subject: 'sample',
        severity: 'warning',
        fix: `Run \`entire agent check ${repo.plugin}\`.`,
      },
    ],
  })
  expect(findings[0]?.detail).toContain('the disk said no')
})
