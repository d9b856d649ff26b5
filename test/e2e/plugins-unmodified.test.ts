// Runs plugins as their authors wrote them: each is asked once for what it says, what it lacks is made up for, and none
// of them holds up another.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ExternalRepo,
  forgetCalls,
  putPlugin,
  repoWithPlugins,
  repoWithSample,
  shellAgent,
} from '../support/external-repo.ts'
import { on } from '../support/plugin-defects.ts'
import { rotatingRows, rotationTitle } from '../support/rotation.ts'

setDefaultTimeout(60_000)

const namesOf = (calls: string[]) => calls.flatMap((call) => (call === '' ? [] : [call.split(' ')[0]]))

const analysis = [
  'get-transcript-position',
  'extract-modified-files',
  'extract-all-modified-files',
  'extract-prompts',
  'extract-summary',
  'calculate-total-tokens',
]
const analysisOf = (calls: string[]) => namesOf(calls).filter((name) => analysis.includes(name ?? ''))

async function tokensOf(repo: ExternalRepo): Promise<number> {
  const stored = await repo.storedSession(await repo.checkpointOf())
  return (stored.token_usage as { input_tokens: number }).input_tokens
}

test.each([
  ['is absent', on('detect', `echo '{"present":false}'; exit 0`), 'does not detect Sample'],
  ['cannot tell', on('detect', 'echo "no idea" >&2; exit 1'), 'no idea'],
])('the agent that a person names is set up although its plugin says that it %s', async (_, defect, word) => {
  await using repo = await repoWithPlugins()
  putPlugin(repo, defect)
  await repo.commitAs('human', 'begin')
  const enabled = await repo.entire(['enable', '--agent', 'sample'])
  expect(enabled).toMatchObject({ code: 0, err: expect.stringContaining(word) })
  expect(enabled.out).toContain('Installed 2 hooks')
  expect(existsSync(join(repo.root, '.sample', 'hooks'))).toBe(true)
  const removed = await repo.entire(['agent', 'remove', 'sample'])
  expect(removed).toMatchObject({ code: 0 })
  const added = await repo.entire(['agent', 'add', 'sample'])
  expect(added).toMatchObject({ code: 0, err: expect.stringContaining(word) })
})

test('an agent that its plugin does not detect is not proposed', async () => {
  await using repo = await repoWithPlugins()
  putPlugin(repo, on('detect', `echo '{"present":false}'; exit 0`))
  await repo.entire(['enable', '--agent', 'sample'])
  const listed = JSON.parse((await repo.entire(['agent', 'list', '--json'])).out) as { name: string }[]
  expect(listed.find(({ name }) => name === 'sample')).toMatchObject({ detected: false, installed: true })
})

test('setting up, adding and removing one plugin asks no other', async () => {
  await using repo = await repoWithSample()
  putPlugin(repo, `echo asked >> "$HOME/other"; exit 1`, 'other')
  for (const words of [
    ['enable', '--agent', 'sample'],
    ['agent', 'remove', 'sample'],
    ['agent', 'add', 'sample'],
    ['enable', '--agent', 'gemini'],
    ['agent', 'remove', 'gemini'],
  ])
    expect([words, await repo.entire(words)]).toEqual([words, expect.objectContaining({ code: 0, err: '' })])
  expect(existsSync(join(repo.base, 'home', 'other'))).toBe(false)
})

test('one analysis per turn, and none at a commit whose transcript has not changed', async () => {
  await using repo = await repoWithSample()
  const agent = await shellAgent(repo)
  await agent.turn('one', { 'one.txt': '1\n' })
  expect(
    analysisOf(agent.calls())
      .filter((name) => name !== 'get-transcript-position')
      .sort(),
  ).toEqual(analysis.slice(1).sort())
  forgetCalls(repo)
  await repo.commitAs('human', 'one', 'one.txt')
  expect(analysisOf(agent.calls())).toEqual([])
  expect(await tokensOf(repo)).toBe(100)
  // In the middle of a turn something new was said, but only before the first of the two commits.
  await agent.hook('prompt', { prompt: 'two' })
  agent.say({ user: 'two' })
  repo.write('two.txt', '2\n')
  agent.say({ file: 'two.txt' })
  agent.say({ assistant: 'two' })
  forgetCalls(repo)
  await repo.commitAs('human', 'two', 'two.txt')
  expect(analysisOf(agent.calls()).sort()).toEqual([...analysis].sort())
  expect(await tokensOf(repo)).toBe(100)
  repo.write('three.txt', '3\n')
  forgetCalls(repo)
  await repo.commitAs('human', 'three', 'three.txt')
  expect(analysisOf(agent.calls())).toEqual([])
  await agent.hook('stop')
  expect(analysisOf(agent.calls())).toEqual([])
  // A transcript that is rewritten in the same length is another one.
  await agent.hook('prompt', { prompt: 'four' })
  const text = readFileSync(agent.transcript, 'utf8')
  rmSync(agent.transcript)
  for (const line of text.trimEnd().split('\n')) agent.say(JSON.parse(line.replace('"two"', '"owt"')))
  forgetCalls(repo)
  repo.write('four.txt', '4\n')
  await agent.hook('stop')
  expect(analysisOf(agent.calls())).not.toEqual([])
})

test('what the hook before a commit kept is taken by the hook after it, also after a commit that was given up', async () => {
  await using repo = await repoWithSample()
  const agent = await shellAgent(repo)
  await agent.hook('prompt', { prompt: 'two' })
  const secret = `ghp_${new Bun.CryptoHasher('sha1').update('secret').digest('hex').slice(0, 36)}`
  agent.say({ user: `use ${secret}` })
  repo.write('two.txt', '2\n')
  agent.say({ file: 'two.txt' })
  await repo.git('add', 'two.txt')
  const kept = join(repo.root, '.git', 'entire-tmp', `analysis-${agent.session}.json`)
  await expect(repo.git('-c', 'core.editor=false', 'commit')).rejects.toThrow()
  expect(readFileSync(kept, 'utf8')).not.toContain(secret)
  forgetCalls(repo)
  await repo.commitAs('human', 'two', 'two.txt')
  expect(analysisOf(agent.calls())).toEqual([])
  expect(existsSync(kept)).toBe(false)
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['two.txt'] })
})

test('without a preparer, a commit after a turn asks the plugin nothing', async () => {
  const bare = on(
    'info',
    `printf '%s' '{"protocol_version":1,"name":"sample","type":"Sample","description":"d","hook_names":["start","prompt","stop","end"],"capabilities":{"hooks":true,"transcript_analyzer":true,"token_calculator":true}}'; exit 0`,
  )
  await using repo = await repoWithSample(bare)
  const agent = await shellAgent(repo)
  await agent.turn('one', { 'one.txt': '1\n' })
  forgetCalls(repo)
  await repo.commitAs('human', 'one', 'one.txt')
  expect(namesOf(agent.calls())).toEqual([])
  expect(await tokensOf(repo)).toBe(100)
  expect(await repo.transcript(await repo.checkpointOf())).toContain('did one')
})

const envelope = on(
  'write-session',
  `i=$(cat); ref=\${i##*'"session_ref":"'}; ref=\${ref%%'"'*}; printf '%s' "$i" > "$ref"; exit 0`,
)

test('a plugin that stores the envelope of a session gets the transcript put in place, and nothing is lost', async () => {
  await using repo = await repoWithSample(envelope)
  const agent = await shellAgent(repo)
  await agent.turn('one', { 'one.txt': '1\n' })
  const first = readFileSync(agent.transcript, 'utf8')
  await agent.turn('two', { 'one.txt': '2\n' })
  const second = readFileSync(agent.transcript, 'utf8')
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  const rewound = await repo.entire([
    'rewind',
    '--to',
    points.find(({ message }) => message === 'One')?.id ?? '',
  ])
  expect(rewound).toMatchObject({ code: 0, err: expect.stringContaining('stored something else') })
  expect(readFileSync(agent.transcript, 'utf8')).toBe(first)
  const dir = join(agent.transcript, '..')
  const others = readdirSync(dir).filter((name) => !name.endsWith('.log'))
  expect(others.map((name) => readFileSync(join(dir, name), 'utf8'))).toEqual([second])
  // And on a machine that never had it.
  await repo.commitAs('human', 'one', 'one.txt')
  const stored = readFileSync(agent.transcript, 'utf8')
  rmSync(dir, { recursive: true })
  mkdirSync(dir)
  expect(await repo.entire(['resume', '--json'])).toMatchObject({ code: 0 })
  expect(readFileSync(agent.transcript, 'utf8')).toBe(stored)
  expect(readdirSync(dir)).toEqual(['sample-session.log'])
})

const compact = on(
  'compact-transcript',
  `t=$(sed -n -e 's/.*"user":"\\([^"]*\\)".*/{"v":1,"type":"user","content":[{"text":"asked: \\1"}]}/p' \\
 -e 's/.*"file":"\\([^"]*\\)".*/{"v":1,"type":"assistant","content":[{"type":"tool_use","name":"Write","input":{"file_path":"\\1"},"result":{"output":"","status":"success"}}]}/p' \\
 -e 's/.*"assistant":"\\([^"]*\\)".*/{"v":1,"type":"assistant","content":[{"type":"text","text":"said: \\1"}]}/p' "$3" | base64 -w0)
printf '{"transcript":"%s"}' "$t"; exit 0`,
)

test('explain shows the conversation that compact-transcript gives, also where the session is gone', async () => {
  await using repo = await repoWithSample(compact)
  const agent = await shellAgent(repo)
  await agent.turn('one', { 'one.txt': '1\n' })
  await repo.commitAs('human', 'one', 'one.txt')
  await agent.turn('two', { 'two.txt': '2\n' })
  await repo.commitAs('human', 'two', 'two.txt')
  rmSync(agent.transcript)
  const scoped = await repo.entire(['explain', '--commit', 'HEAD'])
  expect(scoped).toMatchObject({ code: 0, err: '' })
  expect(scoped.out).toContain('[User] asked: two\n\n[Tool] Write: two.txt\n\n[Assistant] said: did two')
  expect(scoped.out).not.toContain('asked: one')
  expect((await repo.entire(['explain', '--commit', 'HEAD', '--full'])).out).toContain('[User] asked: one')
  putPlugin(repo, on('compact-transcript', 'echo "cannot read it" >&2; exit 1'))
  const failed = await repo.entire(['explain', '--commit', 'HEAD'])
  expect(failed).toMatchObject({ code: 0, err: expect.stringContaining('cannot read it') })
  expect(failed.out).toContain('Intent: two')
})

test('a plugin that hangs is asked by status once, with a word each time', async () => {
  await using repo = await repoWithSample()
  Object.assign(repo.env, { ENTIRE_TEST_PLUGIN_TIMEOUT_MS: '300' })
  putPlugin(repo, 'echo "$@" >> "$HOME/calls"; sleep 60')
  forgetCalls(repo)
  const word = 'entire-agent-sample info did not answer within 0.3 s'
  for (let time = 0; time < 2; time += 1)
    expect(await repo.entire(['status'])).toMatchObject({ code: 0, out: expect.stringContaining(word) })
  expect(JSON.parse((await repo.entire(['status', '--json'])).out).plugin_problems).toEqual([
    expect.stringContaining(word),
  ])
  const agent = await shellAgent(repo)
  expect(namesOf(agent.calls())).toEqual(['info'])
  putPlugin(repo, on('are-hooks-installed', 'echo "$@" >> "$HOME/calls"; sleep 60'))
  forgetCalls(repo)
  for (let time = 0; time < 2; time += 1)
    expect(await repo.entire(['status'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/entire-agent-sample are-hooks-installed (did not answer|was not tried)/),
    })
  expect(namesOf(agent.calls())).toEqual(['info', 'are-hooks-installed'])
})

// Nobody shortens the time here, so it takes it.
const [isTurn] = rotatingRows([true, false, false, false, false])
if (isTurn)
  test(`status waits five seconds for a plugin that hangs, and then says so (${rotationTitle})`, async () => {
    await using repo = await repoWithSample('sleep 60')
    const word = 'entire-agent-sample info did not answer within 5 s'
    expect(await repo.entire(['status'])).toMatchObject({ code: 0, out: expect.stringContaining(word) })
  })

test('a hook with a short PATH runs the plugin where it was when its hooks were installed', async () => {
  await using repo = await repoWithSample()
  const agent = await shellAgent(repo)
  // The plugin needs a program that is on the PATH of the person only.
  const tools = join(repo.base, 'tools')
  mkdirSync(tools)
  renameSync(join(repo.bin, 'entire-agent-sample'), join(tools, 'entire-agent-sample'))
  const path = repo.env.PATH
  repo.env.PATH = `${tools}:${path}`
  expect(await repo.entire(['enable', '--agent', 'sample', '--force'])).toMatchObject({ code: 0 })
  repo.env.PATH = path
  await agent.turn('one', { 'one.txt': '1\n' })
  await repo.commitAs('human', 'one', 'one.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ agent: 'Sample' })
  expect(await tokensOf(repo)).toBe(100)
  expect((await repo.entire(['status'])).out).toContain('Sample')
  rmSync(tools, { recursive: true })
  expect((await repo.entire(['status'])).out).toContain('The plugin of Sample is gone')
})

test('the flags of the reference program are accepted, and do what they can', async () => {
  await using repo = await repoWithPlugins()
  await repo.commitAs('human', 'begin')
  const settings = () => JSON.parse(repo.read('.entire/settings.json'))
  const agent = ['--agent', 'claude-code']
  expect(await repo.entire(['enable', ...agent, '--telemetry=false', '--force'])).toMatchObject({ code: 0 })
  expect(settings()).toMatchObject({ enabled: true, telemetry: false })
  expect(await repo.entire(['enable', ...agent, '--telemetry'])).toMatchObject({ code: 0 })
  expect(settings()).toMatchObject({ telemetry: true })
  const unused = await repo.entire(['enable', ...agent, '--local-dev', '--ignore-untracked'])
  expect(unused).toMatchObject({ code: 0, err: expect.stringContaining('no effect') })
  expect(await repo.entire(['enable', ...agent, '--checkpoint-backend', 'refs'])).toMatchObject({ code: 0 })
  expect(settings()).toMatchObject({ checkpoints: { primary: { type: 'git-refs' } } })
  expect(await repo.entire(['enable', ...agent, '--checkpoint-backend', 'tape'])).toMatchObject({ code: 2 })
  repo.write('.gemini/settings.json', '{}\n')
  const all = await repo.entire(['enable', '--all', '--json'])
  expect(JSON.parse(all.out).agents.map(({ name }: { name: string }) => name)).toContain('gemini')
  expect(await repo.entire(['enable', '--all', ...agent])).toMatchObject({ code: 2 })
})
