// Turns that end without a word: Esc, Ctrl-C, a kill, an error of the model's server. For every agent, the
// worst case: it wrote no transcript either. What it did is saved by whatever event comes next, or by the
// doctor.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '../../src/agents/all.ts'
import { doctor } from '../support/doctor.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingRows, rotationTitle } from '../support/rotation.ts'

setDefaultTimeout(60_000)

type Said = [verb: string, fields?: object]

interface Ways {
  session: string
  /** How the agent spells it. */
  id: string
  prompt: Said
  stop: Said
  start: Said
  end: Said
  /** Other words for the end of a turn. */
  others?: Said[]
}

const uuid = '6f3c0e52-8f0e-4a54-9a13-5a3f1f0a7c11'
const usual = { session: uuid, id: 'session_id' }

const ways: Record<string, Ways> = {
  'claude-code': {
    ...usual,
    prompt: ['user-prompt-submit', { prompt: 'do it' }],
    stop: ['stop'],
    start: ['session-start', { source: 'resume' }],
    end: ['session-end', { reason: 'other' }],
  },
  codex: {
    ...usual,
    prompt: ['user-prompt-submit', { prompt: 'do it', transcript_path: null }],
    stop: ['stop', { transcript_path: null }],
    start: ['session-start', { source: 'resume', transcript_path: null }],
    end: ['session-end', { reason: 'other', transcript_path: null }],
    others: [['interrupt', { transcript_path: null }]],
  },
  'copilot-cli': {
    session: uuid,
    id: 'sessionId',
    prompt: ['user-prompt-submitted', { prompt: 'do it' }],
    stop: ['agent-stop', { stopReason: 'end_turn' }],
    start: ['session-start', { source: 'resume' }],
    end: ['session-end', { reason: 'abort' }],
  },
  cursor: {
    session: uuid,
    id: 'conversation_id',
    prompt: ['before-submit-prompt', { prompt: 'do it', transcript_path: null }],
    stop: ['stop', { status: 'completed' }],
    start: ['session-start', { transcript_path: null }],
    end: ['session-end', { reason: 'aborted' }],
    others: [
      ['stop', { status: 'aborted' }],
      ['stop', { status: 'error' }],
    ],
  },
  'factoryai-droid': {
    ...usual,
    prompt: ['user-prompt-submit', { prompt: 'do it' }],
    stop: ['stop'],
    start: ['session-start', { source: 'resume' }],
    end: ['session-end', { reason: 'other' }],
  },
  gemini: {
    ...usual,
    prompt: ['before-agent', { prompt: 'do it' }],
    stop: ['after-agent'],
    start: ['session-start', { source: 'resume' }],
    end: ['session-end', { reason: 'exit' }],
  },
  opencode: {
    session: 'ses_unended',
    id: 'session_id',
    prompt: ['turn-start', { prompt: 'do it' }],
    stop: ['turn-end'],
    start: ['session-start'],
    end: ['session-end'],
  },
  pi: {
    ...usual,
    prompt: ['before_agent_start', { prompt: 'do it' }],
    stop: ['agent_end'],
    start: ['session_start', { reason: 'startup' }],
    end: ['session_shutdown', { reason: 'quit' }],
  },
}

async function ready(agent: string): Promise<{ repo: RecordedRepo; say(said: Said): Promise<void> }> {
  const repo = await recordedRepo({
    agent,
    env: { ENTIRE_TEST_OPENCODE_MOCK_EXPORT: '1' },
    isCommitted: true,
  })
  const { id, session } = ways[agent] as Ways
  return {
    repo,
    async say([verb, fields = {}]) {
      const payload = { [id]: session, cwd: repo.root, timestamp: new Date().toISOString(), ...fields }
      const ran = await repo.entire(['hooks', agent, verb], { stdin: JSON.stringify(payload) })
      if (ran.code !== 0 || /\bat .*\.ts:\d+/.test(ran.err))
        throw new Error(`${verb} gave ${ran.code}: ${ran.err}`)
    },
  }
}

/** Edits the state as if time had passed. */
function age(repo: RecordedRepo, session: string): void {
  const path = join(repo.repo.commonDir, 'entire-sessions', `${session}.json`)
  const hours = new Date(Date.now() - 3 * 60 * 60 * 1000).toISOString()
  writeFileSync(
    path,
    JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), last_interaction_time: hours }),
  )
}

test('every agent with hooks is in this test', () => {
  expect(Object.keys(ways).sort()).toEqual(
    agents.flatMap(({ name, hookNames }) => (hookNames.length === 0 ? [] : [name])).sort(),
  )
})

describe.each(Object.entries(ways))('%s', (agent, { session, prompt, stop, start, end, others = [] }) => {
  const endings: [string, Said][] = [
    ['the next prompt', prompt],
    ['the start of a session that is resumed', start],
    ['the end of the session', end],
    ...others.map((said): [string, Said] => [JSON.stringify(said), said]),
  ]

  const title = `what the turn did is saved by %s (${rotationTitle})`
  test.each(rotatingRows(endings, Object.keys(ways).indexOf(agent)))(title, async (_name, said) => {
    const { repo, say } = await ready(agent)
    await using _repo = repo
    const begin = await repo.head()
    await say(prompt)
    repo.write('work.txt', 'work of the agent\n')
    expect(repo.state(session)).toMatchObject({ phase: 'active', checkpoint_count: 0 })
    await say(said)
    expect(repo.state(session)).toMatchObject({ checkpoint_count: 1, files_touched: ['work.txt'] })
    expect(await repo.subjects(repo.shadow(begin))).toEqual(['Do it'])
    expect(await repo.paths(repo.shadow(begin))).toContain('work.txt')
    await repo.commitAs('human', 'work', 'work.txt')
    expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
      session_id: session,
      files_touched: ['work.txt'],
    })
  })

  test('doctor reports and saves the turn, and its commit is linked', async () => {
    const { repo, say } = await ready(agent)
    await using _repo = repo
    await say(prompt)
    repo.write('work.txt', 'work of the agent\n')
    age(repo, session)
    const { findings } = await doctor(repo)
    const stuck = findings.find(({ id }) => id === 'stuck-session')
    expect(stuck).toMatchObject({
      subject: session,
      fixable: true,
      fix: expect.stringContaining('saves it as a checkpoint'),
    })
    expect(stuck?.detail).toContain('Changed by the turn that never ended: work.txt')
    const fixed = await repo.entire(['doctor', '--force'])
    const id = /checkpoint ([0-9a-f]{12})/.exec(fixed.out)?.[1] ?? ''
    const type = agents.find(({ name }) => name === agent)?.type
    expect(await repo.storedSession(id)).toMatchObject({
      session_id: session,
      agent: type,
      files_touched: ['work.txt'],
    })
    expect(await repo.stored(id, '0/prompt.txt')).toBe('do it')
    expect(repo.state(session)).toMatchObject({ phase: 'idle', files_touched: ['work.txt'] })
    expect(repo.temporary()).toEqual([])
    await repo.commitAs('human', 'work', 'work.txt')
    expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
      session_id: session,
      files_touched: ['work.txt'],
    })
  })

  test('a turn that changed nothing makes no step, and a commit by the user is not linked', async () => {
    const { repo, say } = await ready(agent)
    await using _repo = repo
    repo.write('before.txt', 'of the user, before\n')
    await say(prompt)
    await say(stop)
    expect(repo.state(session)).toMatchObject({ phase: 'idle', checkpoint_count: 0 })
    repo.write('after.txt', 'of the user, after\n')
    await say(end)
    expect(repo.state(session).phase).toBe('ended')
    expect(await repo.subjects(repo.shadow(await repo.head()))).toEqual([])
    expect(repo.temporary()).toEqual([])
    await repo.commitAs('human', 'mine', 'before.txt', 'after.txt')
    expect(await repo.checkpointsOf()).toEqual([])
    expect(await repo.shadows()).toEqual([])
  })
})
