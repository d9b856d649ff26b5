// Replays sessions of Cursor, written by hand, through the installed hooks: its own, and those of Claude Code
// that it runs as well.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../src/std/json.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { otherMachine, pushAll } from '../support/resumable.ts'
import { stepOf } from '../support/rewind-points.ts'

setDefaultTimeout(60_000)

const fixtures = join(import.meta.dir, '../fixtures/agents/cursor')
const ide = '3f1c7a52-6b0e-4d57-9a0c-5d1f0a6e2b11'
const cli = '9a4e2c10-1d77-4f0b-8e63-0c2b7d5f4a99'
const slug = (root: string) => root.slice(1).replace(/[^A-Za-z0-9]/g, '-')
const claudeEvents: Record<string, string> = {
  sessionStart: 'SessionStart',
  beforeSubmitPrompt: 'UserPromptSubmit',
  stop: 'Stop',
  sessionEnd: 'SessionEnd',
}

type Hooks = 'cursor' | 'claude-code'

/** One conversation in a repository: which hooks Cursor runs for it, and in which order. */
function conversation(repo: RecordedRepo, order: Hooks[]) {
  const home = join(repo.base, 'home')
  const here = (text: string) =>
    text
      .replaceAll('/home/dev/app', repo.root)
      .replaceAll('/home/dev', home)
      .replaceAll('home-dev-app', slug(repo.root))
  return {
    /** Plays the hook of this name; `before` is the transcript at that moment. */
    async play(
      scenario: string,
      name: string,
      change: (payload: JsonObject) => JsonObject = (payload) => payload,
    ): Promise<string> {
      const captured = JSON.parse(
        here(readFileSync(join(fixtures, scenario, 'hooks', `${name}.json`), 'utf8')),
      ) as JsonObject
      const event = name.slice(4)
      let said = ''
      for (const hooks of order) {
        const payload = change({
          ...captured,
          ...(hooks === 'claude-code' ? { session_id: captured.conversation_id } : {}),
        } as JsonObject)
        for (const command of commandsOf(repo, hooks, event)) {
          const env = { ...repo.env, CURSOR_PROJECT_DIR: repo.root, CLAUDE_PROJECT_DIR: repo.root }
          const ran = await repo.run(['sh', '-c', command], {
            cwd: repo.root,
            env,
            stdin: JSON.stringify(payload),
          })
          if (ran.code !== 0 || /failed:/.test(ran.stderr))
            throw new Error(`${event} gave ${ran.code}: ${ran.stderr}`)
          said += ran.stderr
        }
      }
      return said
    },
    /** Writes the transcript as it is at the end of a scenario. */
    say(scenario: string): string {
      const dir = join(fixtures, scenario, 'home/.cursor/projects/home-dev-app/agent-transcripts')
      const name = readdirSync(dir, { recursive: true })
        .map(String)
        .find((file) => file.endsWith('.jsonl')) as string
      const path = join(home, '.cursor/projects', slug(repo.root), 'agent-transcripts', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, here(readFileSync(join(dir, name), 'utf8')))
      return path
    },
  }
}

function commandsOf(repo: RecordedRepo, hooks: Hooks, event: string): string[] {
  if (hooks === 'cursor')
    return JSON.parse(repo.read('.cursor/hooks.json')).hooks[event].map(
      (hook: { command: string }) => hook.command,
    )
  const groups = JSON.parse(repo.read('.claude/settings.json')).hooks[claudeEvents[event] ?? ''] ?? []
  return groups.flatMap((group: { hooks: { command: string }[] }) =>
    group.hooks.map(({ command }) => command),
  )
}

async function ready(...agents: Hooks[]): Promise<RecordedRepo> {
  const [first = 'cursor', ...others] = agents
  const repo = await recordedRepo({ agent: first })
  for (const agent of others) await repo.entire(['enable', '--agent', agent])
  await repo.commit('set up')
  return repo
}

const first = 'Hello, world!\nSecond line.\n'

/** The two turns of the conversation in the editor, without its end. */
async function twoTurns(
  repo: RecordedRepo,
  order: Hooks[],
  change?: (payload: JsonObject) => JsonObject,
): Promise<string> {
  const { play, say } = conversation(repo, order)
  await play('ide-create', '001-sessionStart', change)
  await play('ide-create', '002-beforeSubmitPrompt', change)
  repo.write('hello.txt', first)
  const transcript = say('ide-create')
  await play('ide-create', '003-stop', change)
  await play('ide-edit', '001-beforeSubmitPrompt', change)
  repo.write('hello.txt', first.replace('world', 'agents'))
  say('ide-edit')
  await play('ide-edit', '006-stop', change)
  return transcript
}

const recorded = {
  phase: 'idle',
  agent_type: 'Cursor',
  model_name: 'gpt-5.2',
  checkpoint_count: 2,
  session_turn_count: 2,
  files_touched: ['hello.txt'],
  first_prompt: 'create hello.txt',
  last_prompt: 'edit hello.txt',
}
const prompts = 'create hello.txt\n\n---\n\nedit hello.txt'

test('a commit after two turns in the editor has prompts, files, model and transcript', async () => {
  await using repo = await ready('cursor')
  const begin = await repo.head()
  const transcript = await twoTurns(repo, ['cursor'])
  expect(repo.state(ide)).toMatchObject({ ...recorded, transcript_path: transcript })
  expect(repo.state(ide).token_usage).toBeUndefined()
  expect(await repo.subjects(repo.shadow(begin))).toEqual(['Edit hello.txt', 'Create hello.txt'])
  await repo.commitAs('human', 'hello', 'hello.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Cursor',
    model: 'gpt-5.2',
    files_touched: ['hello.txt'],
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe(prompts)
  expect(await repo.transcript(id)).toBe(readFileSync(transcript, 'utf8'))
  expect((await repo.entire(['explain', '-c', id, '--full'])).out).toContain(
    'Changed the greeting in hello.txt.',
  )
  expect(repo.log().filter((line) => line.level === 'ERROR')).toEqual([])
})

const orders: Hooks[][] = [
  ['cursor', 'claude-code'],
  ['claude-code', 'cursor'],
]

for (const order of orders) {
  test(`hooks of ${order.join(' before those of ')} make one session of Cursor, and nothing is recorded twice`, async () => {
    await using repo = await ready(...order)
    await twoTurns(repo, order)
    expect(repo.state(ide)).toMatchObject(recorded)
    await repo.commitAs('human', 'hello', 'hello.txt')
    const id = await repo.checkpointOf()
    expect(JSON.parse(await repo.stored(id, 'metadata.json')).sessions).toHaveLength(1)
    expect(await repo.storedSession(id)).toMatchObject({ agent: 'Cursor', checkpoints_count: 2 })
    expect(await repo.stored(id, '0/prompt.txt')).toBe(prompts)
  })

  test(`the same holds when the payload does not name the agent that runs the hooks (${order[0]} first)`, async () => {
    await using repo = await ready(...order)
    await twoTurns(repo, order, ({ cursor_version: _unsaid, ...payload }) => payload)
    expect(repo.state(ide)).toMatchObject(recorded)
    await repo.commitAs('human', 'hello', 'hello.txt')
    expect(await repo.stored(await repo.checkpointOf(), '0/prompt.txt')).toBe(prompts)
  })
}

test('hooks that arrive at the same moment make one session of Cursor, and nothing is recorded twice', async () => {
  await using repo = await ready('cursor', 'claude-code')
  const both = (scenario: string, name: string) =>
    Promise.all(
      (['claude-code', 'cursor'] as const).map((hooks) =>
        conversation(repo, [hooks]).play(
          scenario,
          name,
          ({ cursor_version: _unsaid, ...payload }) => payload,
        ),
      ),
    )
  await both('ide-create', '002-beforeSubmitPrompt')
  repo.write('hello.txt', first)
  conversation(repo, []).say('ide-create')
  await both('ide-create', '003-stop')
  expect(repo.state(ide)).toMatchObject({
    agent_type: 'Cursor',
    phase: 'idle',
    checkpoint_count: 1,
    session_turn_count: 1,
  })
  expect(repo.read(`.entire/metadata/${ide}/prompt.txt`)).toBe('create hello.txt')
})

test('a conversation without a recorded start belongs to Cursor, even if a hook of Claude Code came first', async () => {
  await using repo = await ready('claude-code', 'cursor')
  const { play, say } = conversation(repo, ['claude-code', 'cursor'])
  const unsaid = ({ cursor_version: _unsaid, ...payload }: JsonObject) => payload
  await play('ide-create', '002-beforeSubmitPrompt', unsaid)
  expect(repo.state(ide)).toMatchObject({
    phase: 'active',
    agent_type: 'Cursor',
    model_name: 'gpt-5.2',
    session_turn_count: 1,
  })
  repo.write('hello.txt', first)
  say('ide-create')
  await play('ide-create', '003-stop', unsaid)
  expect(repo.state(ide)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    transcript_cursor: { items: 4 },
  })
  expect(repo.read(`.entire/metadata/${ide}/prompt.txt`)).toBe('create hello.txt')
})

test('the session belongs to Cursor even if only the hooks of Claude Code are installed', async () => {
  await using repo = await ready('claude-code')
  await twoTurns(repo, ['claude-code'])
  expect(repo.state(ide)).toMatchObject(recorded)
})

test('an event from an agent that does not own the session changes nothing', async () => {
  await using repo = await ready('cursor', 'claude-code')
  await twoTurns(repo, ['cursor'])
  const before = repo.state(ide)
  for (const verb of ['session-start', 'user-prompt-submit', 'stop', 'session-end'])
    await repo.entire(['hooks', 'claude-code', verb], {
      stdin: JSON.stringify({ session_id: ide, cwd: repo.root, prompt: 'other' }),
    })
  expect(repo.state(ide)).toEqual(before)
})

test('without a window, Cursor reports only start and end, and the work between them belongs to the session', async () => {
  await using repo = await ready('cursor')
  const begin = await repo.head()
  const { play, say } = conversation(repo, ['cursor'])
  await play('headless-create', '001-sessionStart')
  repo.write('hello.txt', first)
  const transcript = say('headless-create')
  await play('headless-create', '002-sessionEnd')
  expect(repo.state(cli)).toMatchObject({
    phase: 'ended',
    agent_type: 'Cursor',
    model_name: 'gpt-5.2',
    transcript_path: transcript,
    files_touched: ['hello.txt'],
    first_prompt: 'create hello.txt',
  })
  expect(await repo.subjects(repo.shadow(begin))).toEqual(['Create hello.txt'])
  await repo.commitAs('human', 'hello', 'hello.txt')
  expect(await repo.stored(await repo.checkpointOf(), '0/prompt.txt')).toBe('create hello.txt')
})

test('a commit by an agent without a window is linked at once', async () => {
  await using repo = await ready('cursor')
  const { play, say } = conversation(repo, ['cursor'])
  await play('headless-create', '001-sessionStart')
  repo.write('hello.txt', first)
  say('headless-create')
  await repo.commitAs('agent', 'Add hello.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: cli,
    files_touched: ['hello.txt'],
  })
  await play('headless-create', '002-sessionEnd')
  const id = await repo.checkpointOf()
  expect(await repo.stored(id, '0/prompt.txt')).toBe('create hello.txt')
  expect(repo.state(cli)).toMatchObject({ phase: 'ended', last_checkpoint_id: id })
})

test('an abandoned conversation has no part in the user’s commits', async () => {
  await using repo = await ready('cursor')
  const { play } = conversation(repo, ['cursor'])
  await play('ide-create', '001-sessionStart')
  repo.write('mine.txt', 'mine\n')
  await repo.commitAs('agent', 'by a button of the editor', 'mine.txt')
  expect(await repo.checkpointsOf()).toEqual([])
  repo.write('also-mine.txt', 'mine\n')
  await play('ide-create', '002-beforeSubmitPrompt')
  expect(repo.state(ide)).toMatchObject({ phase: 'active', session_turn_count: 1, checkpoint_count: 0 })
  expect(repo.state(ide).files_touched).toBeUndefined()
})

test('a transcript that is written after the turn ended is awaited', async () => {
  await using repo = await ready('cursor')
  const { play, say } = conversation(repo, ['cursor'])
  await play('ide-create', '002-beforeSubmitPrompt')
  repo.write('hello.txt', first)
  const transcript = say('ide-create')
  const content = readFileSync(transcript)
  rmSync(transcript)
  const stop = play('ide-create', '003-stop')
  await Bun.sleep(300)
  writeFileSync(transcript, content)
  await stop
  expect(repo.state(ide)).toMatchObject({ transcript_path: transcript, transcript_cursor: { items: 4 } })
})

test('the next prompt completes a turn that never ended; subagents and compactions make steps', async () => {
  await using repo = await ready('cursor')
  const begin = await repo.head()
  const { play, say } = conversation(repo, ['cursor'])
  await play('ide-create', '001-sessionStart')
  await play('ide-create', '002-beforeSubmitPrompt')
  repo.write('hello.txt', first)
  say('ide-create')
  await play('ide-edit', '001-beforeSubmitPrompt')
  expect(repo.state(ide)).toMatchObject({ phase: 'active', checkpoint_count: 1, session_turn_count: 2 })
  await play('ide-edit', '003-subagentStart')
  await play('ide-edit', '004-subagentStart')
  repo.write('other.txt', 'Hello!\n')
  await play('ide-edit', '005-subagentStop')
  repo.write('third.txt', 'Hello!\n')
  await play('ide-edit', '002-preCompact')
  await play('ide-edit', '007-sessionEnd')
  expect(repo.state(ide)).toMatchObject({
    phase: 'ended',
    files_touched: ['hello.txt', 'other.txt', 'third.txt'],
  })
  const subjects = await repo.subjects(repo.shadow(begin))
  expect(subjects.at(-1)).toBe('Create hello.txt')
  expect(subjects.at(-2)).toContain('explore')
})

test('a rewind restores the files of a turn', async () => {
  await using repo = await ready('cursor')
  const transcript = await twoTurns(repo, ['cursor'])
  expect(repo.read('hello.txt')).not.toBe(first)
  expect(await repo.entire(['rewind', '--to', await stepOf(repo, 'Create hello.txt')])).toMatchObject({
    code: 0,
  })
  expect(repo.read('hello.txt')).toBe(first)
  expect(readFileSync(transcript, 'utf8').trimEnd().split('\n')).toHaveLength(4)
})

test('on another machine, resume writes the conversation where Cursor looks for it, and tells the user to open the project', async () => {
  await using repo = await ready('cursor')
  await repo.git('switch', '--quiet', '-c', 'feature')
  const transcript = await twoTurns(repo, ['cursor'])
  await repo.commitAs('human', 'hello', 'hello.txt')
  await repo.git('branch', '--quiet', '--force', 'main')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  const resumed = await machine.entire('resume')
  expect(resumed).toMatchObject({
    code: 0,
    err: expect.stringContaining('To continue this session:\n  Open this project in Cursor.'),
  })
  const there = join(
    machine.home,
    '.cursor/projects',
    slug(machine.root),
    'agent-transcripts',
    `${ide}.jsonl`,
  )
  expect(readFileSync(there, 'utf8')).toBe(readFileSync(transcript, 'utf8'))
})
