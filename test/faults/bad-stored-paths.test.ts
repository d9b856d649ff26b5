// Restores checkpoints with hostile paths and ids, which anyone with push access can write: logs go where
// agents keep them.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ForeignRepo, foreignRepo } from '../support/foreign-repo.ts'

setDefaultTimeout(60_000)

const id = 'a3b2c4d5e6f7'
const uuid = '5e551010-0000-4000-8000-000000000001'

const records: Record<string, Record<string, string>> = {
  'a file of the user’s home': { transcript_path: '.profile' },
  'a hidden directory of the home': { transcript_path: '.ssh/authorized_keys' },
  'a way out of the home': { transcript_path: '../outside' },
  'a way out of the agent’s directory': { transcript_path: '.claude/projects/../../.profile' },
  'settings of the agent': { transcript_path: '.claude/settings.json' },
  'an absolute path': { transcript_path: '/tmp/entire-outside' },
  'an id that climbs': { session_id: '../../../.profile' },
  'an id that is a path': { session_id: '/tmp/entire-outside' },
  'an id that is an option': { session_id: '--dangerously-skip-permissions' },
  'an id that is a command': { session_id: `${uuid}; touch outside` },
  'an id with a line break': { session_id: `${uuid}\ntouch outside` },
  'an id with control characters': { session_id: '\x1b[2J\x1b]0;owned\x07' },
  'an empty id': { session_id: '' },
  'an agent that is a path': { agent: '../../bin/sh' },
}

async function hostile(fields: Record<string, string>): Promise<ForeignRepo> {
  const repo = await foreignRepo()
  const record = { session_id: uuid, agent: 'Claude Code', created_at: '2026-02-10T12:00:00Z', ...fields }
  await repo.put('refs/heads/entire/checkpoints/v1', {
    'a3/b2c4d5e6f7/metadata.json': { checkpoint_id: id, sessions: [{}] },
    'a3/b2c4d5e6f7/0/metadata.json': record,
    'a3/b2c4d5e6f7/0/full.jsonl':
      '{"type":"user","uuid":"u","timestamp":"2026-02-10T12:00:00Z","message":{"role":"user","content":"ssh-ed25519 evil"}}\n',
    'a3/b2c4d5e6f7/0/prompt.txt': 'work\x1b[2J',
  })
  await repo.link(id)
  writeFileSync(join(repo.base, 'home/.profile'), 'mine\n')
  return repo
}

const restores: Record<string, (head: string) => string[]> = {
  resume: () => ['resume', 'main', '--force'],
  'rewind --logs-only': (head) => ['rewind', '--to', head, '--logs-only'],
}

for (const [command, args] of Object.entries(restores)) {
  test.each(Object.entries(records))(`${command} does not follow %s`, async (_what, fields) => {
    await using repo = await hostile(fields)
    const before = new Set(filesBelow(repo.base))
    const { code, out, err } = await repo.entire(args(await repo.head()))
    expect([0, 1]).toContain(code)
    expect(out + err).not.toMatch(/bug in entire|[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
    const made = filesBelow(repo.base).filter(
      (path) => !before.has(path) && !/^(?:repo|clone)\/\.(?:git|entire)\//.test(path),
    )
    expect(made.filter((path) => !/^home\/\.claude\/projects\/[^/]+\/[^/]+\.jsonl$/.test(path))).toEqual([])
    // Only an id can make it impossible to keep the log.
    if (fields.transcript_path !== undefined) expect({ made: made.length, err }).toMatchObject({ made: 1 })
    expect(readFileSync(join(repo.base, 'home/.profile'), 'utf8')).toBe('mine\n')
    expect(existsSync('/tmp/entire-outside')).toBe(false)
    // A command that is shown to be copied is one command.
    for (const line of err.split('\n').filter((text) => text.includes('claude ')))
      expect(line.replace(/#.*/, '')).not.toMatch(/[;&|`$]|--dangerously/)
  })
}

function filesBelow(base: string): string[] {
  return [...new Bun.Glob('**').scanSync({ cwd: base, dot: true, onlyFiles: true })].sort()
}
