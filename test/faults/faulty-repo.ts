// Makes a recorded repository whose hooks can be killed, and the checks that every fault test ends with.
import { expect } from 'bun:test'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pendingName } from '../../src/sessions/file-names.ts'
import { readText } from '../../src/std/file.ts'
import type { FakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

export interface FaultyRepo extends RecordedRepo {
  /**
   * Runs git; the named git hook is killed at its n-th write, or before it starts for 0. Returns whether it
   * was killed.
   */
  gitKilling(hook: string, at: number, args: string[], env?: Record<string, string>): Promise<boolean>
}

// Git hooks find this script as `entire`: a variable in git's own environment would reach every hook of the
// commit.
const deadlyEntire = `#!/bin/sh
if [ "$2 $3" = "git $DEADLY_HOOK" ]; then
    [ "$DEADLY_WRITE" != 0 ] || exit 0
    [ -z "$DEADLY_SLEEP" ] || sleep "$DEADLY_SLEEP"
    if [ -n "$DEADLY_BLOCKS" ]; then
        trap '' XFSZ
        ulimit -f "$DEADLY_BLOCKS"
    fi
    ENTIRE_TEST_KILL_AT_WRITE=$DEADLY_WRITE ${binary} "$@"
    code=$?
    echo $code >"$DEADLY_RESULT"
    exit $code
fi
exec ${binary} "$@"
`

export const killedCode = 137

export async function faultyRepo(options: Parameters<typeof recordedRepo>[0] = {}): Promise<FaultyRepo> {
  const repo = await recordedRepo(options)
  const entire = join(repo.base, 'bin', 'entire')
  rmSync(entire)
  writeFileSync(entire, deadlyEntire)
  chmodSync(entire, 0o755)
  const result = join(repo.base, 'deadly-result')
  return {
    ...repo,
    async gitKilling(hook, at, args, env = {}) {
      rmSync(result, { force: true })
      const ran = await repo.run(['git', ...args], {
        env: {
          ...repo.env,
          ENTIRE_TEST_TTY: '1',
          DEADLY_HOOK: hook,
          DEADLY_WRITE: String(at),
          DEADLY_RESULT: result,
          ...env,
        },
      })
      expect(ran).toMatchObject({ code: 0 })
      if (at === 0) return true
      expect(existsSync(result)).toBe(true)
      return readFileSync(result, 'utf8').trim() === String(killedCode)
    },
  }
}

/** Git finds no fault with the repository. */
export async function expectReadable(repo: RecordedRepo): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const fsck = await repo.run(['git', 'fsck', '--strict', '--no-dangling', '--no-progress'])
    // Packs that are merged in the background vanish while it reads; an object that is really missing stays
    // missing.
    if (fsck.code !== 0 && attempt < 4) await Bun.sleep(attempt * 100)
    else
      return expect({ code: fsck.code, out: fsck.stdout.toString(), err: fsck.stderr }).toEqual({
        code: 0,
        out: '',
        err: '',
      })
  }
}

/** Every checkpoint that a commit links to is stored. */
export async function expectLinksHold(repo: RecordedRepo): Promise<void> {
  const commits = (
    await repo.git(
      'log',
      '--branches',
      '--format=%H %(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)',
    )
  ).split('\n')
  const stored = new Set(
    (await repo.git('ls-tree', '-r', '--name-only', 'entire/checkpoints/v1')).split('\n'),
  )
  for (const line of commits) {
    const [commit, ...ids] = line.split(' ').filter((word) => word !== '')
    for (const id of ids) {
      const dir = `${id.slice(0, 2)}/${id.slice(2)}`
      expect({
        commit,
        id,
        stored: ['metadata.json', '0/metadata.json', '0/full.jsonl'].filter((file) =>
          stored.has(`${dir}/${file}`),
        ),
      }).toEqual({
        commit,
        id,
        stored: ['metadata.json', '0/metadata.json', '0/full.jsonl'],
      })
    }
  }
}

const leftover = /\.tmp$|^fast_import_crash_|^entire\.lock|^entire-rewrite|\.lock$/

/** No lock or temporary file of a killed process remains. */
export function expectNoLeftovers(repo: RecordedRepo): void {
  const { gitDir, commonDir } = repo.repo
  const dirs = [
    gitDir,
    commonDir,
    join(gitDir, 'entire-tmp'),
    join(commonDir, 'entire-sessions'),
    join(commonDir, 'hooks'),
    join(commonDir, 'refs/heads/entire'),
  ]
  const own = ['.entire', '.entire/tmp', '.entire/metadata', '.claude'].map((dir) => join(repo.root, dir))
  const found = [...dirs, ...own].flatMap((dir) =>
    existsSync(dir) ? readdirSync(dir).filter((name) => leftover.test(name)) : [],
  )
  expect(found).toEqual([])
  // The note of a commit is emptied, not removed.
  expect(readText(join(gitDir, pendingName)) ?? '').toBe('')
  const sessions = join(repo.root, '.entire/metadata')
  const inner = existsSync(sessions)
    ? readdirSync(sessions).flatMap((name) => readdirSync(join(sessions, name)))
    : []
  expect(inner.filter((name) => leftover.test(name))).toEqual([])
}

/** The checkpoints of the commits name these files, and hold the agent's transcript of that time. */
export async function expectRecorded(
  repo: RecordedRepo,
  rev: string,
  files: string[],
  agent: FakeAgent,
): Promise<void> {
  const ids = (await Promise.all(rev.split(' ').map((commit) => linksOf(repo, commit)))).flat()
  const parts = (await Promise.all(ids.map((id) => readParts(repo, id))))
    .flat()
    .filter((part) => part.session === agent.session)
  expect({ rev, lost: files.filter((file) => !parts.some((part) => part.files.includes(file))) }).toEqual({
    rev,
    lost: [],
  })
  const live = readFileSync(agent.transcript, 'utf8')
  for (const part of parts) {
    expect(live.startsWith(`${part.transcript.replace(/\n$/, '')}\n`)).toBe(true)
    expect({
      rev,
      unsaid: files.filter((file) => !part.transcript.includes(JSON.stringify(join(repo.root, file)))),
    }).toEqual({
      rev,
      unsaid: [],
    })
  }
}

/** The checkpoints of a commit: those of its trailers, and that of its note. */
async function linksOf(repo: RecordedRepo, commit: string): Promise<string[]> {
  const trailers = await repo.checkpointsOf(commit)
  const note = await repo.run(['git', 'notes', '--ref=entire-checkpoints', 'show', commit])
  return [...trailers, ...(/^Entire-Checkpoint: (\S+)$/m.exec(note.stdout.toString())?.slice(1) ?? [])]
}

interface Part {
  session: string
  files: string[]
  transcript: string
}

/** The part of each session in a checkpoint, read with git alone. */
export async function readParts(repo: RecordedRepo, id: string): Promise<Part[]> {
  const files = await readDirectory(repo, `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}`)
  const names = [...files.keys()]
  const slots = [...new Set(names.flatMap((name) => /^(\d+)\//.exec(name)?.[1] ?? []))]
  return slots.map((slot) => {
    const record = JSON.parse(files.get(`${slot}/metadata.json`) ?? '')
    // Chunks sort by name and join with a newline.
    const chunks = names.filter((name) => name.startsWith(`${slot}/full.jsonl`)).sort()
    return {
      session: record.session_id,
      files: record.files_touched ?? [],
      transcript: chunks.map((name) => files.get(name)?.replace(/\n$/, '')).join('\n'),
    }
  })
}

/** The content of each file in a tree, by its path. */
async function readDirectory(repo: RecordedRepo, tree: string): Promise<Map<string, string>> {
  const names = (await repo.git('ls-tree', '-r', '--name-only', tree)).split('\n')
  const stdin = names.map((name) => `${tree}/${name}\n`).join('')
  const { stdout } = await repo.run(['git', 'cat-file', '--batch'], { stdin })
  let at = 0
  return new Map(
    names.map((name) => {
      const start = stdout.indexOf('\n', at) + 1
      const size = Number(stdout.toString('utf8', at, start).trim().split(' ').at(-1))
      at = start + size + 1
      return [name, stdout.toString('utf8', start, start + size)]
    }),
  )
}
