// Reads checkpoints of every version of the reference program. Reading changes nothing.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Age, ages } from '../support/foreign-ages.ts'
import { type ForeignRepo, foreignRepo } from '../support/foreign-repo.ts'
import type { RepoKind } from '../support/repo-kinds.ts'
import { readUserState } from '../support/user-state.ts'

setDefaultTimeout(60_000)

async function agedRepo(age: Age, kind: RepoKind = 'plain'): Promise<ForeignRepo> {
  const repo = await foreignRepo(kind)
  for (const [ref, files] of Object.entries(age.trees)) await repo.put(ref, files)
  await repo.link(age.checkpoint)
  return repo
}

async function json(repo: ForeignRepo, args: string[]) {
  const { code, out, err } = await repo.entire(args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

async function everything(repo: ForeignRepo): Promise<string[]> {
  return [...readUserState(repo.repo), await repo.git('for-each-ref')]
}

test.each(Object.entries(ages))('%s', async (_name, age) => {
  await using repo = await agedRepo(age)
  await expectRead(repo, age)
})

test('the prompt of a checkpoint is shown, not the first one of its session, and only figures that are stored', async () => {
  await using repo = await foreignRepo()
  const said = (role: string, text: string) =>
    JSON.stringify({ type: role, message: { role, content: [{ type: 'text', text }] } })
  const turns = [1, 2].flatMap((turn) => [
    said('user', `prompt ${turn}`),
    said('assistant', `answer ${turn}`),
  ])
  const end = said('assistant', 'more of answer 2')
  // The second commit of the second turn: all prompts of the session are stored with it.
  const session = {
    cli_version: '0.4.4',
    session_id: 's1',
    created_at: '2026-02-10T12:00:00Z',
    agent: 'Claude Code',
    checkpoint_transcript_start: turns.length,
    initial_attribution: { agent_lines: 3, agent_percentage: 75 },
    token_usage: {},
  }
  await repo.put('refs/heads/entire/checkpoints/v1', {
    'a3/b2c4d5e6f7/metadata.json': { checkpoint_id: 'a3b2c4d5e6f7', sessions: [] },
    'a3/b2c4d5e6f7/0/metadata.json': session,
    'a3/b2c4d5e6f7/0/full.jsonl': [...turns, end].map((line) => `${line}\n`).join(''),
    'a3/b2c4d5e6f7/0/prompt.txt': 'prompt 1\n\n---\n\nprompt 2',
  })
  await repo.link('a3b2c4d5e6f7')
  expect((await json(repo, ['explain', '--json'])).checkpoints).toMatchObject([{ prompt: 'prompt 2' }])
  const { out } = await repo.entire(['explain', '--commit', 'HEAD', '--no-pager'])
  expect(out).toContain('Intent: prompt 2\n')
  expect(out).not.toContain('Tokens:')
  const detail = await json(repo, ['explain', '-c', 'a3b2c4d5e6f7', '--json', '--short'])
  expect(detail).not.toHaveProperty('token_usage')
  expect(detail.sessions[0].initial_attribution).toEqual(session.initial_attribution)
  for (const figure of ['checkpoints_count', 'token_usage'])
    expect(detail.sessions[0]).not.toHaveProperty(figure)
})

test('a checkpoint is also read in a sha256 repository', async () => {
  const age = Object.values(ages)[1] as Age
  await using repo = await agedRepo(age, 'sha256')
  await expectRead(repo, age)
})

async function expectRead(repo: ForeignRepo, age: Age): Promise<void> {
  const before = await everything(repo)
  const id = age.checkpoint
  const last = age.sessions.at(-1)
  const prompt = age.prompt ?? last?.prompts[0]

  const list = await json(repo, ['explain', '--json'])
  expect(list.checkpoints).toMatchObject([
    {
      checkpoint_id: id,
      ...(last?.agent ? { agent: last.agent } : {}),
      ...(prompt === undefined ? {} : { prompt }),
    },
  ])
  expect((await repo.entire(['explain', '--no-pager'])).out).toContain(`[${id}]`)

  const detail = await json(repo, ['explain', '-c', id.slice(0, 9), '--json'])
  expect(detail).toMatchObject({ checkpoint_id: id, files_touched: age.files })
  expect(
    detail.sessions.map(({ session_id, agent, prompts }: Record<string, unknown>) => ({
      id: session_id,
      ...(agent ? { agent } : {}),
      prompts,
    })),
  ).toEqual(age.sessions)
  const text = await repo.entire(['explain', '--commit', 'HEAD', '--no-pager'])
  expect(text).toMatchObject({ code: 0, err: '' })
  expect(text.out).toContain(`Checkpoint: ${id}\n`)
  if (age.tokens !== undefined) expect(text.out).toContain(`Tokens: ${age.tokens}\n`)
  expect(await json(repo, ['explain', '--commit', 'HEAD', '--json'])).toMatchObject([{ checkpoint_id: id }])

  const raw = await repo.entire(['explain', '-c', id, '--raw-transcript'])
  if (age.transcript === undefined)
    expect(raw).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^error: .*no transcript/) })
  else expect(raw).toEqual({ code: 0, out: age.transcript, err: '' })

  expect(await json(repo, ['rewind', '--list'])).toMatchObject([
    {
      condensation_id: id,
      is_logs_only: true,
      session_id: last?.id,
      ...(prompt === undefined ? {} : { session_prompt: prompt }),
    },
  ])
  expect((await repo.entire(['status'])).code).toBe(0)
  await expectResumed(repo, age)
  expect(await everything(repo)).toEqual(before)
}

async function expectResumed(repo: ForeignRepo, age: Age): Promise<void> {
  const { code, err } = await repo.entire(['resume', 'main', '--force'])
  expect({ code, err }).toMatchObject({ code: 0 })
  if (age.isOver) return expect(err).toMatch(/^Warning: Session /)
  const file = [...err.matchAll(/Writing (?:transcript )?to: (.+)\n/g)].at(-1)?.[1] ?? ''
  expect(readFileSync(file, 'utf8').trimEnd()).toBe(age.transcript?.trimEnd() ?? '')
  expect(err).toMatch(new RegExp(`(?:claude -r|gemini --resume) ${age.sessions.at(-1)?.id}\\b.*\n$`))
}
