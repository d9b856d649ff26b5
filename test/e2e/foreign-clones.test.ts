// Reads checkpoints in partial clones: missing objects are fetched at once, or the error names them.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { asForeign, type ForeignRepo, foreignRepo } from '../support/foreign-repo.ts'
import { repoAt } from '../support/repo.ts'

setDefaultTimeout(60_000)

const count = 12
const idOf = (index: number) => `a${index.toString(16)}b2c4d5e6f7`
const line = (index: number) => `{"type":"user","message":{"content":"prompt ${index}"}}\n`

interface Cloned extends AsyncDisposable {
  clone: ForeignRepo
  /** How often the remote was asked since the last call. */
  asked(): number
  loseRemote(): void
  /** Removes an object at the remote, as a broken disk would. */
  loseAtRemote(name: string): Promise<void>
}

/** A clone of a repository with many checkpoints. */
async function cloned(...options: string[]): Promise<Cloned> {
  const origin = await foreignRepo()
  for (const key of ['uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant'])
    await origin.git('config', key, 'true')
  for (let index = 0; index < count; index += 1) {
    const id = idOf(index)
    const dir = `${id.slice(0, 2)}/${id.slice(2)}`
    await origin.put('refs/heads/entire/checkpoints/v1', {
      [`${dir}/metadata.json`]: {
        checkpoint_id: id,
        strategy: 'manual-commit',
        files_touched: null,
        sessions: [{ metadata: `/${dir}/0/metadata.json` }],
      },
      [`${dir}/0/metadata.json`]: {
        session_id: `s${index}`,
        created_at: `2026-02-10T12:00:${10 + index}Z`,
        agent: 'Claude Code',
      },
      [`${dir}/0/prompt.txt`]: `prompt ${index}`,
      [`${dir}/0/full.jsonl`]: line(index),
      [`${dir}/0/full.jsonl.001`]: `"more of ${index}"`,
    })
    await origin.link(id)
  }
  const [root, trace] = [join(origin.base, 'clone'), join(origin.base, 'trace')]
  await origin.git('clone', '--quiet', ...options, `file://${origin.root}`, root)
  const clone = asForeign(repoAt(origin, root))
  clone.env.GIT_TRACE = trace
  return {
    clone,
    asked() {
      const log = existsSync(trace) ? readFileSync(trace, 'utf8') : ''
      rmSync(trace, { force: true })
      return log.split('\n').filter((entry) => /trace: run_command: .*git-upload-pack/.test(entry)).length
    },
    loseAtRemote: (name) => origin.lose(name),
    loseRemote: () => renameSync(origin.root, join(origin.base, 'gone')),
    [Symbol.asyncDispose]: () => origin[Symbol.asyncDispose](),
  }
}

async function list(repo: ForeignRepo): Promise<{ checkpoint_id: string; prompt: string }[]> {
  const { code, out, err } = await repo.entire(['explain', '--json'])
  expect({ code, err: err.replace(/^Not shown: .*\n$/, '') }).toEqual({ code: 0, err: '' })
  return JSON.parse(out).checkpoints
}

test('in a clone without files a list asks the remote once, and the next one not at all', async () => {
  await using it = await cloned('--filter=blob:none')
  it.asked()
  const checkpoints = await list(it.clone)
  expect(checkpoints.map(({ prompt }) => prompt).sort()).toEqual(
    Array.from({ length: count }, (_, index) => `prompt ${index}`).sort(),
  )
  expect(it.asked()).toBe(1)
  expect(await list(it.clone)).toEqual(checkpoints)
  expect(JSON.parse((await it.clone.entire(['rewind', '--list'])).out)).toHaveLength(count)
  expect(it.asked()).toBe(0)
  const raw = await it.clone.entire(['explain', '-c', idOf(3), '--raw-transcript'])
  expect(raw).toEqual({ code: 0, out: `${line(3)}\n"more of 3"`, err: '' })
  expect(it.asked()).toBe(1)
})

test('listing the rewind points of a clone without blobs fetches once', async () => {
  await using it = await cloned('--filter=blob:none')
  it.asked()
  expect(JSON.parse((await it.clone.entire(['rewind', '--list'])).out)).toHaveLength(count)
  expect(it.asked()).toBe(1)
})

test('a clone without directories reads them when they are needed', async () => {
  await using it = await cloned('--filter=tree:0')
  expect(await list(it.clone)).toHaveLength(count)
})

const questions: string[][] = [
  ['explain'],
  ['explain', '--json'],
  ['explain', '-c', idOf(1)],
  ['explain', '--commit', 'HEAD'],
  ['explain', '-c', idOf(1), '--raw-transcript'],
  ['rewind', '--list'],
]

test.each(['blob:none', 'tree:0'])(
  'a failed fetch (%s) is an error with a hint, and does not ask for a password',
  async (filter) => {
    await using it = await cloned(`--filter=${filter}`)
    it.loseRemote()
    for (const args of questions) {
      const { code, out, err } = await it.clone.entire(args)
      expect({ args, code, out }).toEqual({ args, code: 1, out: '' })
      expect(err).toMatch(/^error: .+\nhint: .*remote can be reached.*\n$/)
    }
  },
)

test('what cannot be fetched does not hide the rest: a transcript, or other checkpoints', async () => {
  await using it = await cloned('--filter=blob:none')
  const detail = await it.clone.entire(['explain', '-c', idOf(1), '--short', '--json'])
  expect(detail).toMatchObject({ code: 0, err: '' })
  const last = await it.clone.entire(['explain', '-c', idOf(count - 1), '--json'])
  expect(JSON.parse(last.out).sessions[0].transcript).toHaveLength(1)
  it.loseRemote()

  // The files of two checkpoints are here. Of the others nothing can be shown.
  const all = await it.clone.entire(['explain', '--json'])
  expect(all).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^Not shown: 10 checkpoints\. .*origin.*\n$/),
  })
  expect(JSON.parse(all.out).checkpoints.map(({ prompt }: { prompt: string }) => prompt)).toEqual([
    `prompt ${count - 1}`,
    'prompt 1',
  ])
  expect(await it.clone.entire(['explain', '-c', idOf(2)])).toMatchObject({ code: 1, out: '' })
})

test('a transcript that the remote has lost does not hide the rest of its checkpoint', async () => {
  await using it = await cloned('--filter=blob:none')
  await it.loseAtRemote(`entire/checkpoints/v1:a1/b2c4d5e6f7/0/full.jsonl.001`)
  await it.loseAtRemote(`entire/checkpoints/v1:a2/b2c4d5e6f7/0/prompt.txt`)
  const lost = await it.clone.entire(['explain', '-c', idOf(1), '--no-pager'])
  expect(lost).toMatchObject({ code: 0, err: '' })
  expect(lost.out).toContain('Session: s1\nAgent: Claude Code\n')
  expect(lost.out).toContain('Intent: prompt 1\n')
  expect(lost.out).toContain('  (the transcript could not be fetched)')
  expect(await it.clone.entire(['explain', '-c', idOf(1), '--raw-transcript'])).toMatchObject({ code: 1 })

  // Everything else is fetched, a file that is lost or not.
  const checkpoints = await list(it.clone)
  expect(checkpoints).toHaveLength(count)
  expect(checkpoints.filter(({ prompt }) => prompt === undefined)).toMatchObject([{ checkpoint_id: idOf(2) }])
})

test('a remote that asks for a password fails at once', async () => {
  await using it = await cloned('--filter=blob:none')
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('no', { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }),
  })
  await it.clone.git('remote', 'set-url', 'origin', `http://127.0.0.1:${server.port}/x.git`)
  const { code, err } = await it.clone.entire(['explain'])
  expect(code).toBe(1)
  expect(err).toMatch(/^error: .*terminal prompts disabled.*\nhint: /)
})

test('a shallow clone fetches the checkpoints of the commits it has', async () => {
  await using it = await cloned('--depth=1')
  expect(await it.clone.entire(['rewind', '--list'])).toMatchObject({ code: 0, out: '[]\n' })
  const { code, err } = await it.clone.entire(['explain', '--commit', 'HEAD', '--no-pager'])
  expect({ code, err }).toEqual({ code: 0, err: 'Fetching session metadata from origin...\n' })
  expect((await it.clone.entire(['explain', '--commit', 'HEAD~1'])).code).toBe(1)
  expect((await list(it.clone)).map(({ prompt }) => prompt)).toEqual([`prompt ${count - 1}`])
  expect((await it.clone.entire(['explain', '-c', idOf(0), '--raw-transcript'])).code).toBe(0)
})

test('a shallow clone of all branches has them from the start', async () => {
  await using it = await cloned('--depth=1', '--no-single-branch')
  expect((await list(it.clone)).map(({ prompt }) => prompt)).toEqual([`prompt ${count - 1}`])
})
