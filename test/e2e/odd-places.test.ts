// Records projects with odd paths: blanks, dots, letters of other alphabets, a symlink, a subdirectory. For
// every agent the turn is recorded, and its log is restored on a machine where the project has another odd
// path.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { agents } from '../../src/agents/all.ts'
import type { Agent } from '../../src/model/agent.ts'
import { runProgram } from '../support/process.ts'
import { binary } from '../support/recorded-repo.ts'
import { tempRepo } from '../support/repo.ts'

setDefaultTimeout(60_000)

const uuid = '6f3c0e52-8f0e-4a54-9a13-5a3f1f0a7c11'

/**
 * Where each agent has the project at `/…/My_Proj.v2 x é` on its own terms: written by hand, from what was
 * observed.
 */
const places: Record<string, (root: string, home: string) => string> = {
  'claude-code': (root, home) => join(home, '.claude/projects', root.replace(/[^A-Za-z0-9]/g, '-')),
  codex: (_root, home) => join(home, '.codex/sessions'),
  'copilot-cli': (_root, home) => join(home, '.copilot/session-state'),
  cursor: (root, home) =>
    join(home, '.cursor/projects', root.slice(1).replace(/[^A-Za-z0-9]/g, '-'), 'agent-transcripts'),
  'factoryai-droid': (root, home) => join(home, '.factory/sessions', root.replaceAll('/', '-')),
  gemini: (_root, home) => join(home, '.gemini/tmp/my-proj-v2-x/chats'),
  opencode: (root) => join(root, '.entire/tmp'),
  pi: (root, home) => join(home, '.pi/agent/sessions', `--${root.slice(1).replaceAll('/', '-')}--`),
  aider: (root) => root,
}

test.each(agents.map((agent): [string, Agent] => [agent.name, agent]))(
  '%s: the directory of sessions is the one the agent uses',
  async (name, agent) => {
    const root = '/home/dev/My_Proj.v2 x é'
    expect(await agent.resume?.sessionDir(root, { HOME: '/h' })).toBe(places[name]?.(root, '/h') as string)
  },
)

const turns: Record<string, [start: string, stop: string, id: string]> = {
  'claude-code': ['user-prompt-submit', 'stop', 'session_id'],
  codex: ['user-prompt-submit', 'stop', 'session_id'],
  'copilot-cli': ['user-prompt-submitted', 'agent-stop', 'sessionId'],
  cursor: ['before-submit-prompt', 'stop', 'conversation_id'],
  'factoryai-droid': ['user-prompt-submit', 'stop', 'session_id'],
  gemini: ['before-agent', 'after-agent', 'session_id'],
  pi: ['before_agent_start', 'agent_end', 'session_id'],
}

const entries: Record<string, object> = {
  codex: { type: 'session_meta', payload: { id: uuid } },
  pi: { type: 'session', version: 3, id: uuid, cwd: '/' },
}

describe.each(Object.entries(turns))('%s', (name, [start, stop, id]) => {
  test('a project in an odd place is recorded, and resumed in another one', async () => {
    await using plain = await tempRepo()
    const agent = agents.find((candidate) => candidate.name === name) as Agent
    const root = join(plain.base, 'My_Proj.v2 x é')
    renameSync(plain.root, root)
    const link = join(plain.base, 'link to ünï')
    symlinkSync(root, link)
    mkdirSync(join(root, 'sub dir'))
    const run = (args: string[], cwd = root, stdin?: string, env = plain.env) =>
      runProgram(args, { cwd, env, ...(stdin === undefined ? {} : { stdin }) })
    expect(await run([binary, 'enable', '--agent', name])).toMatchObject({ code: 0 })

    // Agents get the path as the shell has it, or the real path.
    const transcript = (await agent.resume?.sessionFile(
      (await agent.resume.sessionDir(root, plain.env)) as string,
      uuid,
      {},
    )) as string
    mkdirSync(dirname(transcript), { recursive: true })
    writeFileSync(transcript, `${JSON.stringify(entries[name] ?? { type: 'note', role: 'note' })}\n`)
    const payload = {
      [id]: uuid,
      cwd: join(link, 'sub dir'),
      prompt: 'do it',
      transcript_path: transcript,
      transcriptPath: transcript,
    }
    const say = (verb: string) =>
      run(
        [binary, 'hooks', name, verb],
        join(link, 'sub dir'),
        JSON.stringify({ ...payload, session_file: transcript }),
      )
    expect(await say(start)).toMatchObject({ code: 0 })
    writeFileSync(join(link, 'sub dir', 'ä b.txt'), 'work of the agent\n')
    expect(await say(stop)).toMatchObject({ code: 0 })
    const state = JSON.parse(readFileSync(join(root, '.git/entire-sessions', `${uuid}.json`), 'utf8'))
    expect(state).toMatchObject({
      files_touched: ['sub dir/ä b.txt'],
      worktree_path: root,
      transcript_path: transcript,
    })
    await run(['git', 'add', '.'])
    const env = { ...plain.env, ENTIRE_TEST_TTY: '1', PATH: `${dirname(binary)}:${plain.env.PATH}` }
    expect(await run(['git', 'commit', '--quiet', '-m', 'work'], root, undefined, env)).toMatchObject({
      code: 0,
    })

    // Another machine.
    const there = { ...env, HOME: join(plain.base, 'other home') }
    const clone = join(plain.base, 'elsewhere', 'My_Proj.v2 x é')
    mkdirSync(dirname(clone))
    expect(await run(['git', 'clone', '--quiet', root, clone])).toMatchObject({ code: 0 })
    const jump = join(plain.base, 'jump')
    symlinkSync(clone, jump)
    const resumed = await run([binary, 'session', 'resume', uuid, '--json'], jump, undefined, there)
    expect(resumed).toMatchObject({ code: 0 })
    const path = JSON.parse(Buffer.from(resumed.stdout).toString('utf8')).sessions[0].path as string
    expect(path).toStartWith(`${places[name]?.(clone, there.HOME)}/`)
    expect(basename(path)).toBe(basename(transcript))
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2)
  })
})
