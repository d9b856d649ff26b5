import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defects, on } from '../../../../test/support/plugin-defects.ts'
import { writePlugin } from '../../../../test/support/sh-plugin.ts'
import { isConformant } from '../engine.ts'
import type { RuleResult } from '../rule.ts'
import { type AgentCheckOptions, agentRules, checkAgent } from './check-agent.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'conformance-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const env = { PATH: process.env.PATH }
const broken = (results: RuleResult[]) =>
  results.filter(({ failure }) => failure !== undefined).map(({ id }) => id)

async function checkWith(defect: string, options: AgentCheckOptions = {}): Promise<RuleResult[]> {
  const place = mkdtempSync(join(dir, 'plugin-'))
  return await checkAgent(writePlugin(place, 'sample', defect), { env, ...options })
}

/** The rules on the same subcommand, and those they need: other rules do not see the defect. */
const group = (rule: string) => ({ only: [rule.split('/')[0] ?? rule] })

test('a plugin that does everything right passes every rule', async () => {
  const results = await checkWith('')
  expect(broken(results)).toEqual([])
  expect(isConformant(results)).toBe(true)
  expect(results.filter(({ status }) => status === 'skipped').map(({ id }) => id)).toEqual([
    'generate-text/answers',
  ])
  expect(results.map(({ id }) => id)).toEqual(agentRules.map(({ id }) => id))
})

test.each(defects)('a plugin that %s breaks exactly one rule', async (_title, script, rule) => {
  const results = await checkWith(script, group(rule))
  expect(broken(results)).toEqual([rule])
  const { failure, status } = results.find(({ id }) => id === rule)!
  expect(Object.values(failure!).filter((text) => text === '')).toEqual([])
  expect(status).toBe(agentRules.find(({ id }) => id === rule)!.level === 'must' ? 'failed' : 'warned')
})

test('every rule has a plugin that breaks it', () => {
  // The first depends on the file name (tested below), the second is tried only with fixtures
  // (fixtures.test.ts).
  const elsewhere = ['executable/name', 'generate-text/answers']
  const tested = new Set([...elsewhere, ...defects.map(([, , rule]) => rule)])
  expect(agentRules.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([])
})

describe('a plugin that does not behave as a process', () => {
  const short = { limits: { timeoutMs: 1_000 } }

  test('hangs: the check continues after the time limit, and one rule fails', async () => {
    const results = await checkWith(on('detect', 'sleep 600'), { ...short, only: ['detect'] })
    const failure = results.find(({ id }) => id === 'detect/answers')?.failure
    expect(failure).toMatchObject({ expected: '`detect` to end within 1 s' })
  })

  test('hangs at `info`: no other rule is tried', async () => {
    const results = await checkWith('sleep 600', short)
    expect(broken(results)).toEqual(['info/answers'])
    expect(results.filter(({ status }) => status === 'passed').map(({ id }) => id)).toEqual([
      'executable/name',
    ])
  })

  test('floods stdout: it is killed at the limit', async () => {
    const results = await checkWith(on('format-resume-command', 'yes'), { only: ['format-resume-command'] })
    expect(results.find(({ id }) => id === 'format-resume-command/answers')?.failure?.received).toContain(
      'more than that on stdout',
    )
  })

  test('dies in the middle of its answer: the rule fails', async () => {
    const results = await checkWith(on('extract-summary', `printf '{"summary":"'; kill -9 $$`), {
      only: ['extract-summary'],
    })
    expect(broken(results)).toEqual(['extract-summary/answers'])
    expect(results.find(({ id }) => id === 'extract-summary/answers')?.failure?.received).toContain('SIGKILL')
  })

  test('leaves a process behind that holds its output: the check does not wait for it', async () => {
    const results = await checkWith(on('extract-summary', 'sleep 600 &'), { only: ['extract-summary'] })
    expect(broken(results)).toEqual(['extract-summary/answers'])
    expect(results.find(({ id }) => id === 'extract-summary/answers')?.failure?.fix).toContain('background')
  })

  test('cannot be started: the message says what to check', async () => {
    const path = join(dir, 'entire-agent-plain')
    writeFileSync(path, 'not a program')
    const results = await checkAgent(path, { env })
    expect(broken(results)).toEqual(['info/answers'])
    expect(results.find(({ id }) => id === 'info/answers')?.failure?.fix).toContain('chmod +x')
  })

  test('has another file name: the rule on the name fails', async () => {
    const place = mkdtempSync(join(dir, 'named-'))
    const path = join(place, 'agent-sample')
    writeFileSync(path, '#!/bin/sh\nexit 1\n')
    chmodSync(path, 0o755)
    expect(broken(await checkAgent(path, { env }))).toEqual(['executable/name', 'info/answers'])
  })
})

test('a plugin sees and changes no files of the user', async () => {
  const home = join(dir, 'my-home')
  mkdirSync(home)
  const results = await checkAgent(
    writePlugin(
      mkdtempSync(join(dir, 'plugin-')),
      'sample',
      `echo x >> "$HOME/seen"; [ -z "\${GIT_DIR-}\${XDG_CONFIG_HOME-}" ] || exit 9`,
    ),
    {
      env: { ...env, HOME: home, GIT_DIR: '/nowhere', XDG_CONFIG_HOME: home },
    },
  )
  expect(broken(results)).toEqual([])
  expect(existsSync(join(home, 'seen'))).toBe(false)
})

test('the check itself also runs on Node', async () => {
  const entry = join(dir, 'check.ts')
  const here = JSON.stringify(join(import.meta.dir, 'check-agent.ts'))
  writeFileSync(
    entry,
    `import { checkAgent } from ${here}\ncheckAgent(process.argv[2]!, { only: ['info', 'chunk-transcript/small'] }).then((r) => console.log(r.map((x) => x.status).join()))`,
  )
  const built = await Bun.build({ entrypoints: [entry], target: 'node', outdir: dir, naming: 'check.mjs' })
  expect(built.success).toBe(true)
  const child = Bun.spawnSync(
    ['node', join(dir, 'check.mjs'), writePlugin(mkdtempSync(join(dir, 'plugin-')), 'sample')],
    { env },
  )
  expect(child.stdout.toString()).toMatch(/^passed(,passed)+\n$/)
})
