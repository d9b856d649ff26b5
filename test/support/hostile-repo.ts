// Makes an enabled repository with hostile data: names, prompts and ids with control characters, and broken
// records.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asForeign, type ForeignRepo } from './foreign-repo.ts'
import { recordedRepo } from './recorded-repo.ts'

/** Clears the screen, sets the title, turns text around, rings, and overwrites the line. */
export const evil = (name: string) => `${name}\x1b[2J\x1b]0;owned\x07\u009b31m\u202e\r\b\x07\x7f`

export const checkpoints = {
  hostile: 'a3b2c4d5e6f7',
  garbage: 'a3b2ffffffff',
  lost: 'a3b2eeeeeeee',
  foreign: 'a3b2dddddddd',
  nowhere: 'a3b2cccccccc',
}
/** The first two begin with the same letters. */
export const sessions = { one: 'plain-one', two: 'plain-two', evil: evil('evil').replace(/\r/, '') }

export async function hostileRepo(): Promise<ForeignRepo> {
  const repo = asForeign(await recordedRepo())
  repo.write('.gitignore', '.claude/\n')
  await repo.commit('setup')
  for (const id of Object.values(checkpoints)) await storeCheckpoint(repo, id)
  const v1 = 'refs/heads/entire/checkpoints/v1'
  await repo.put(v1, {
    [`a3/${checkpoints.garbage.slice(2)}/metadata.json`]: '{ "checkpoint',
    [`a3/${checkpoints.garbage.slice(2)}/0/metadata.json`]: '\0',
  })
  await repo.lose(`${v1}:a3/${checkpoints.lost.slice(2)}/metadata.json`)
  await repo.lose(`${v1}:a3/${checkpoints.lost.slice(2)}/0/full.jsonl`)
  repo.write('linked.txt', 'linked\n')
  await repo.git('add', 'linked.txt')
  const trailers = Object.values(checkpoints).map((id) => `Entire-Checkpoint: ${id}`)
  const author = { GIT_AUTHOR_NAME: evil('author'), GIT_AUTHOR_EMAIL: evil('mail') }
  await repo.run(
    ['git', 'commit', '--quiet', '--no-verify', '-m', `${evil('subject')}\n\n${trailers.join('\n')}`],
    {
      env: { ...repo.env, ...author },
    },
  )
  await repo.git('switch', '--quiet', '--create', 'evil\u009b31m\u202e')
  await storeSteps(repo, await repo.head())
  return repo
}

async function storeCheckpoint(repo: ForeignRepo, id: string): Promise<void> {
  if (id === checkpoints.nowhere) return
  const dir = `${id.slice(0, 2)}/${id.slice(2)}`
  const isHostile = id === checkpoints.hostile
  const text = (name: string) => (isHostile ? evil(name) : name)
  const agent = id === checkpoints.foreign ? evil('Frobnicator') : 'Claude Code'
  const summary = {
    ...{
      intent: text('intent'),
      outcome: text('outcome'),
      friction: [text('friction')],
      open_items: [text('item')],
    },
    learnings: {
      repo: [text('repo')],
      code: [{ path: text('path'), line: 1, finding: text('finding') }],
      workflow: [text('workflow')],
    },
  }
  await repo.put('refs/heads/entire/checkpoints/v1', {
    [`${dir}/metadata.json`]: {
      checkpoint_id: text(id),
      strategy: text('manual-commit'),
      branch: text('main'),
      files_touched: [text('../../etc/passwd')],
      sessions: [{}],
    },
    [`${dir}/0/metadata.json`]: {
      ...{
        session_id: text(`session-${id}`),
        agent,
        model: text('model'),
        created_at: text('2026-02-10T12:00:00Z'),
        branch: text('main'),
        turn_id: text('turn'),
      },
      ...{
        files_touched: [text('../../etc/passwd')],
        transcript_path: '../../../../etc/cron.d/evil',
        tool_use_id: text('../x'),
        ...(isHostile ? { summary } : {}),
      },
    },
    [`${dir}/0/prompt.txt`]: text('prompt'),
    [`${dir}/0/full.jsonl`]: `${JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content: text(`asked for ${id}`) }, timestamp: text('now') })}\n`,
  })
}

// What the sessions have done since the last commit.
async function storeSteps(repo: ForeignRepo, head: string): Promise<void> {
  const dir = join(repo.repo.commonDir, 'entire-sessions')
  mkdirSync(dir, { recursive: true })
  for (const [name, id] of Object.entries(sessions)) {
    const state = {
      ...{
        session_id: id,
        base_commit: head,
        worktree_path: repo.root,
        started_at: '2026-02-10T12:00:00Z',
        phase: name === 'one' ? 'active' : 'idle',
      },
      ...{
        checkpoint_count: 1,
        files_touched: [evil('touched')],
        agent_type: evil('Claude Code'),
        model_name: evil('model'),
        turn_id: evil('turn'),
      },
      ...{
        first_prompt: evil('first'),
        last_prompt: evil('last'),
        transcript_path: evil('/nowhere/t'),
        branch: evil('main'),
        kind: evil('kind'),
      },
      last_interaction_time: evil('2026-02-10T12:00:00Z'),
    }
    writeFileSync(join(dir, `${id}.json`), JSON.stringify(state, null, 2))
    await repo.put(
      `refs/heads/entire/${head.slice(0, 7)}-e3b0c4`,
      {
        [`.entire/metadata/${id}/prompt.txt`]: evil('prompt'),
        [`.entire/metadata/${id}/full.jsonl`]: '{}\n',
        [evil('touched').replace(/\r/, '')]: 'content\n',
      },
      {
        message: `${evil('step')}\n\nEntire-Metadata: .entire/metadata/${id}\nEntire-Session: ${id}\nEntire-Strategy: manual-commit\n`,
        seconds: 1_770_000_100,
      },
    )
  }
}
