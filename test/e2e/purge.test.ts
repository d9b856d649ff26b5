// What is purged is in no ref, file or object of the repository afterwards, and does not come back; everything
// else, above all what is the user's, stays.
import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { killedCode } from '../faults/faulty-repo.ts'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { isSoak, rotatingNumbers, rotationSeed, rotationTitle } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'

setDefaultTimeout(120_000)

// Not what a rule of redaction would find, and different in JSON.
const secret = 'tulip "gravel" / 47 lantern'
const forms = [
  secret,
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret)).slice(3, -3),
]
const metadata = 'refs/heads/entire/checkpoints/v1'

/** The objects that contain one of the texts, found by git alone. */
async function objectsWith(repo: RecordedRepo, texts: string[]): Promise<string[]> {
  const { stdout } = await repo.run(['git', 'cat-file', '--batch-all-objects', '--batch'])
  const all = Buffer.from(stdout)
  const found: string[] = []
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf(10, at)
    const [oid = '', type, size] = all.toString('latin1', at, end).split(' ')
    const content = all.subarray(end + 1, end + 1 + Number(size))
    if (texts.some((text) => content.includes(text))) found.push(`${type} ${oid}`)
    at = end + 2 + Number(size)
  }
  return found
}

/** The files of the git directory that contain one of the texts. */
function filesWith(dir: string, texts: string[]): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name)
    const stat = lstatSync(path)
    if (stat.isDirectory()) return filesWith(path, texts)
    const content = stat.isFile() ? readFileSync(path) : Buffer.alloc(0)
    return texts.some((text) => content.includes(text)) ? [path] : []
  })
}

async function expectSound(repo: RecordedRepo): Promise<void> {
  const { code, stderr } = await repo.run(['git', 'fsck', '--full', '--no-dangling'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
}

/** What is the user's: refs, reflog, index, and a commit and a stash that nothing leads to. */
async function usersOwn(repo: RecordedRepo, dangling: string[]): Promise<unknown> {
  const ours = /refs\/(?:heads|remotes\/origin)\/entire\/|refs\/entire|refs\/notes\/entire/
  return {
    refs: (await repo.git('for-each-ref', '--format=%(objectname) %(refname)'))
      .split('\n')
      .filter((line) => !ours.test(line)),
    reflog: await repo.git('reflog', '--format=%H %gs'),
    index: await repo.git('ls-files', '--stage'),
    dangling: await Promise.all(
      dangling.map((oid) => repo.git('archive', '--format=tar', oid).then((tar) => tar.length)),
    ),
  }
}

async function digestOf(repo: RecordedRepo, id: string): Promise<string> {
  const dir = `${metadata}:${id.slice(0, 2)}/${id.slice(2)}/0`
  const names = (await repo.paths(dir)).filter((name) => name.startsWith('full.jsonl')).toSorted()
  const chunks = await Promise.all(
    names.map((name) => repo.run(['git', 'cat-file', 'blob', `${dir}/${name}`])),
  )
  const text = chunks.map(({ stdout }) => Buffer.from(stdout).toString('latin1')).join('\n')
  return new Bun.CryptoHasher('sha256').update(Buffer.from(text, 'latin1')).digest('hex')
}

interface Story {
  repo: RecordedRepo
  agent: FakeAgent
  other: FakeAgent
  dangling: string[]
  /** Checkpoints: of another session, and two that hold the secret. */
  clean: string
  dirty: string[]
}

/** A repository that holds the secret wherever the program keeps something. */
async function plantedRepo(): Promise<Story> {
  const repo = await recordedRepo()
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/origin.git`)
  await repo.git('remote', 'add', 'origin', `${repo.base}/origin.git`)
  repo.write('.gitignore', '.claude/\n')
  await repo.commitAs('human', 'setup')
  const other = fakeAgent(repo)
  await other.turn('harmless work', { 'other.txt': 'of the other session\n' })
  await repo.commitAs('human', 'other')
  const clean = await repo.checkpointOf()
  const dangling = [await danglingCommit(repo, 'a lost commit'), await droppedStash(repo)]
  const agent = fakeAgent(repo)
  const turn = (name: string) => agent.turn(`use ${secret} for ${name}`, { [`${name}.txt`]: `${name}\n` })
  repo.write('notes.txt', `untracked: ${secret}\n`)
  await turn('a')
  await repo.commitAs('human', 'a', 'a.txt')
  const dirty = [await repo.checkpointOf()]
  await repo.git('push', '--quiet', 'origin', 'main')
  await turn('b')
  await repo.commitAs('human', 'b', 'b.txt')
  dirty.push(await repo.checkpointOf())
  await repo.git('gc', '--quiet', '--prune=never')
  await turn('c')
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as { id: string }[]
  repo.write('c.txt', `edited ${secret}\n`)
  expect((await repo.entire(['rewind', '--to', points[0]?.id ?? '', '--everything'])).code).toBe(0)
  const trashed = fakeAgent(repo)
  await trashed.turn(`also ${secret}`, { 'd.txt': 'd\n' })
  expect((await repo.entire(['reset', '--session', trashed.session, '--force'])).code).toBe(0)
  const tree = await repo.addWorktree('second')
  const elsewhere = fakeAgent(tree)
  await elsewhere.turn(`elsewhere ${secret}`, { 'e.txt': `${secret}\n` })
  rmSync(join(repo.root, 'notes.txt'))
  rmSync(join(tree.root, 'e.txt'))
  appendFileSync(
    join(repo.repo.gitDir, 'entire-logs', 'entire.log'),
    `${JSON.stringify({ message: secret })}\n`,
  )
  for (const dir of ['entire-tmp', 'entire-missed']) {
    mkdirSync(join(repo.repo.gitDir, dir), { recursive: true })
    writeFileSync(join(repo.repo.gitDir, dir, 'left.json'), JSON.stringify({ text: secret }))
  }
  return { repo, agent, other, dangling, clean, dirty }
}

async function danglingCommit(repo: RecordedRepo, name: string): Promise<string> {
  const blob = (await repo.run(['git', 'hash-object', '-w', '--stdin'], { stdin: `${name}\n` })).stdout
  const tree = (
    await repo.run(['git', 'mktree'], {
      stdin: `100644 blob ${Buffer.from(blob).toString().trim()}\tlost.txt\n`,
    })
  ).stdout
  return await repo.git('commit-tree', '-m', name, Buffer.from(tree).toString().trim())
}

async function droppedStash(repo: RecordedRepo): Promise<string> {
  repo.write('other.txt', 'stashed\n')
  await repo.git('stash', 'push', '--quiet')
  const oid = await repo.git('rev-parse', 'refs/stash')
  await repo.git('stash', 'drop', '--quiet')
  return oid
}

test('a secret is replaced everywhere, stays away after a push, and nothing else changes', async () => {
  const { repo, agent, dangling, clean, dirty } = await plantedRepo()
  await using _repo = repo
  const before = await usersOwn(repo, dangling)
  const dates = await repo.git('log', '--format=%an %ad %s', metadata)
  const cleanTree = await repo.git('rev-parse', `${metadata}:${clean.slice(0, 2)}/${clean.slice(2)}`)
  expect((await objectsWith(repo, forms)).length).toBeGreaterThan(10)
  expect(filesWith(repo.repo.commonDir, forms).length).toBeGreaterThan(5)

  const planned = await repo.entire(['purge', '-', '--dry-run', '--json'], { stdin: `${secret}\n` })
  expect(JSON.parse(planned.out)).toMatchObject({
    dry_run: true,
    kind: 'secret',
    checkpoints: dirty.toSorted(),
  })
  expect(planned.out + planned.err).not.toContain('gravel')
  expect((await objectsWith(repo, forms)).length).toBeGreaterThan(10)

  const done = await repo.entire(['purge', '-', '--force'], { stdin: `${secret}\n` })
  expect(done).toMatchObject({ code: 0, err: '' })
  expect(done.out).not.toContain('gravel')
  expect(await objectsWith(repo, forms)).toEqual([])
  expect(filesWith(repo.repo.commonDir, forms)).toEqual([])
  expect(filesWith(join(repo.root, '.entire'), forms)).toEqual([])
  expect(done.out).toContain('Every object was read again: none holds it.')
  expect(done.out).toContain(agent.session)
  await expectSound(repo)
  expect(await usersOwn(repo, dangling)).toEqual(before)

  expect((await repo.git('log', '--format=%an %ad %s', metadata)).replaceAll(secret, 'REDACTED')).toBe(dates)
  expect(await repo.git('rev-parse', `${metadata}:${clean.slice(0, 2)}/${clean.slice(2)}`)).toBe(cleanTree)
  for (const id of dirty) {
    expect(await repo.stored(id, '0/prompt.txt')).toContain('use REDACTED for')
    const text = await repo.transcript(id)
    expect(await repo.stored(id, '0/content_hash.txt')).toBe(`sha256:${await digestOf(repo, id)}`)
    for (const line of text.trimEnd().split('\n')) JSON.parse(line)
    expect((await repo.entire(['explain', id, '--no-pager'])).code).toBe(0)
  }
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
  expect(repo.read('c.txt')).toBe('edited REDACTED\n')
  expect((await repo.entire(['doctor'])).out).not.toContain('gravel')

  // The session goes on.
  await agent.turn('go on', { 'f.txt': 'f\n' })
  await repo.commitAs('human', 'f', 'f.txt')
  const transcript = await repo.transcript(await repo.checkpointOf())
  expect([transcript.includes('REDACTED'), transcript.includes('go on')]).toEqual([true, true])
  expect(await objectsWith(repo, forms)).toEqual([])

  // The remote still has it.
  const pushed = await repo.run(['git', 'push', 'origin', 'main'])
  expect(pushed.code).toBe(0)
  expect(pushed.stderr).toContain('origin still has what was purged here')
  const command = /^\[entire\] {3}(git push .*)$/m.exec(pushed.stderr)?.[1] ?? ''
  expect(done.out).toContain(command)
  expect(await objectsWith(repo, forms)).toEqual([])
  expect((await repo.run(['sh', '-c', command])).code).toBe(0)
  const again = await repo.entire(['purge', '-', '--force'], { stdin: secret })
  expect(again.out).not.toContain('git push')
  repo.write('g.txt', 'g\n')
  await repo.commitAs('human', 'g')
  expect((await repo.run(['git', 'push', 'origin', 'main'])).stderr).not.toContain('purged')
  await repo.git(
    'clone',
    '--quiet',
    '--bare',
    '--no-local',
    `${repo.base}/origin.git`,
    `${repo.base}/copy.git`,
  )
  const remote = { ...repo, run: (argv: string[]) => repo.run(argv, { cwd: `${repo.base}/copy.git` }) }
  expect(await objectsWith(remote as RecordedRepo, forms)).toEqual([])
  expect(existsSync(join(repo.repo.commonDir, 'entire-purged.json'))).toBe(true)
})

test('a checkpoint is removed as a whole; others keep id, content and date, and its id is not fetched again', async () => {
  const { repo, dangling, clean, dirty } = await plantedRepo()
  await using _repo = repo
  const before = await usersOwn(repo, dangling)
  const trees = await repo.git('ls-tree', '-r', metadata)
  const dir = `${clean.slice(0, 2)}/${clean.slice(2)}/`
  const missing = await repo.entire(['purge', 'fedcba987654', '--force'])
  expect(missing).toMatchObject({ code: 1, out: '' })
  expect(missing.err).toContain('fedcba987654')
  const done = await repo.entire(['purge', clean.slice(0, 6), '--force', '--json'])
  expect(JSON.parse(done.out)).toMatchObject({ kind: 'checkpoint', id: clean, checkpoints: [clean] })
  const rest = trees.split('\n').filter((line) => !line.includes(dir))
  expect((await repo.git('ls-tree', '-r', metadata)).split('\n')).toEqual(rest)
  expect(await repo.git('log', '--format=%s', metadata)).not.toContain(clean)
  const kept = new Set(rest.map((line) => line.split(/\s/)[2]))
  const gone = trees.split('\n').map((line) => line.split(/\s/)[2] ?? '')
  for (const oid of gone.filter((blob) => !kept.has(blob)))
    expect((await repo.run(['git', 'cat-file', '-e', oid])).code).toBe(1)
  // A commit of the user names it, in its message.
  expect((JSON.parse(done.out) as { left: { objects: { type: string }[] } }).left.objects).toMatchObject([
    { type: 'commit' },
  ])
  await expectSound(repo)
  expect(await usersOwn(repo, dangling)).toEqual(before)
  for (const id of dirty) expect((await repo.entire(['explain', id, '--no-pager'])).code).toBe(0)
  expect((await repo.entire(['explain', clean, '--no-pager'])).code).toBe(1)
  expect((await repo.entire(['doctor'])).out).not.toContain(clean)
  // The remote has moved on: still nothing comes back.
  await repo.git(
    'clone',
    '--quiet',
    '--branch',
    'entire/checkpoints/v1',
    `${repo.base}/origin.git`,
    `${repo.base}/clone`,
  )
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
  await repo.git('-C', `${repo.base}/clone`, ...author, 'commit', '--quiet', '--allow-empty', '-m', 'theirs')
  await repo.git('-C', `${repo.base}/clone`, 'push', '--quiet', 'origin', 'entire/checkpoints/v1')
  expect((await repo.run(['git', 'push', 'origin', 'main'])).stderr).toContain(
    'origin still has what was purged here',
  )
  expect(await repo.refs('refs/entire-fetch-tmp/')).toEqual([])
  for (const oid of gone.filter((blob) => !kept.has(blob)))
    expect((await repo.run(['git', 'cat-file', '-e', oid])).code).toBe(1)
  expect(readdirSync(repo.repo.commonDir).filter((name) => name.startsWith('entire-fetched-'))).toEqual([])
})

test('a session is removed from checkpoints, steps, undo, states and files; those of others stay', async () => {
  const { repo, agent, other, dangling, clean, dirty } = await plantedRepo()
  await using _repo = repo
  const before = await usersOwn(repo, dangling)
  // A checkpoint of two sessions keeps the other one.
  await other.turn('more harmless work', { 'other.txt': 'changed by the other session\n' })
  await agent.turn('and more', { 'h.txt': 'h\n' })
  await repo.commitAs('human', 'both', 'h.txt', 'other.txt')
  const both = await repo.checkpointOf()
  expect((await repo.entire(['purge', '5e551010', '--force'])).err).toContain('5e551010')
  const done = await repo.entire(['purge', agent.session, '--force'])
  expect(done).toMatchObject({ code: 0, err: '' })
  expect(await objectsWith(repo, [agent.session])).toEqual([])
  expect(filesWith(repo.repo.commonDir, [agent.session])).toEqual([])
  expect(repo.hasState(agent.session)).toBe(false)
  await expectSound(repo)
  expect((await usersOwn(repo, dangling)) as { dangling: unknown }).toMatchObject({
    dangling: (before as { dangling: unknown }).dangling,
  })
  const ids = (await repo.git('ls-tree', '-d', '-r', '--name-only', metadata)).split('\n')
  const dirs = [clean, both, ...dirty].map((id) => ids.includes(`${id.slice(0, 2)}/${id.slice(2)}`))
  expect(dirs).toEqual([true, true, false, false])
  const shown = await repo.entire(['explain', both, '--no-pager'])
  expect(shown.code).toBe(0)
  await other.turn('go on', { 'i.txt': 'i\n' })
  await repo.commitAs('human', 'i', 'i.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ session_id: other.session })
})

test('what is the user’s own is named and left alone, a lone object is not', async () => {
  await using repo = await recordedRepo()
  await repo.git('config', 'core.hooksPath', '/dev/null')
  repo.write('mine.txt', `mine: ${secret}\n`)
  await repo.commitAs('human', 'mine')
  const lost = await danglingCommit(repo, secret)
  await repo.run(['git', 'hash-object', '-w', '--stdin'], { stdin: `lone ${secret}` })
  const kept = (await objectsWith(repo, forms)).length - 1
  const done = await repo.entire(['purge', secret, '--force'])
  expect(done.err).toContain('history of your shell')
  expect(done.out).toContain('Still in your own commits')
  expect(done.out).toContain(' mine.txt\n')
  expect((await objectsWith(repo, forms)).length).toBe(kept)
  expect(await repo.git('show', `${lost}:lost.txt`)).toContain(secret)
  expect(repo.read('mine.txt')).toContain(secret)
  expect((await repo.entire(['purge', 'abc', '--force'])).err).toContain('at least 6 characters')
  expect((await repo.entire(['purge', '-'], { stdin: secret })).code).toBe(0)
  expect((await repo.entire(['purge'])).err).toContain('entire purge -')
  const lender = `${repo.base}/lender.git`
  await repo.git('init', '--quiet', '--bare', lender)
  await repo.run(['git', '-C', lender, 'hash-object', '-w', '--stdin'], { stdin: `lent ${secret}` })
  writeFileSync(join(repo.repo.commonDir, 'objects/info/alternates'), `${lender}/objects\n`)
  const lent = await repo.entire(['purge', '-', '--force'], { stdin: secret })
  expect(lent.out).toContain(`borrows from: ${lender}/objects`)
  expect(await repo.git('-C', lender, 'count-objects')).toStartWith('1 objects')
})

test(`a purge that is killed leaves a sound repository, and is completed by the next one (${rotationTitle})`, () =>
  counted('kills', async (trials) => {
    const story = await plantedRepo()
    await using repo = story.repo
    const targets: [string[], string | undefined, string[]][] = [
      [['purge', '-', '--force'], secret, forms],
      [['purge', story.agent.session, '--force'], undefined, [story.agent.session]],
    ]
    const snapshot = `${repo.base}/snapshot`
    await repo.run(['cp', '-a', repo.repo.commonDir, snapshot])
    const before = await usersOwn(repo, story.dangling)
    for (const write of rotatingNumbers()) {
      // There are many writes, and each takes two purges: a third of this part is enough.
      if (!isSoak && Math.floor(write / 5) % 3 !== Math.floor(rotationSeed / 5) % 3) continue
      const [args, stdin, texts] = targets[Math.floor(write / 15) % 2] as (typeof targets)[number]
      trials.begin()
      rmSync(repo.repo.commonDir, { recursive: true })
      await repo.run(['cp', '-a', snapshot, repo.repo.commonDir])
      const input = stdin === undefined ? {} : { stdin }
      const ran = await repo.entire(args, { ...input, env: { ENTIRE_TEST_KILL_AT_WRITE: `${write}` } })
      await expectSound(repo)
      expect(await usersOwn(repo, story.dangling)).toEqual(before)
      if (ran.code !== killedCode) {
        expect({ code: ran.code, isLong: write > 10 }).toEqual({ code: 0, isLong: true })
        break
      }
      // A session that was killed with the last write is not found any more.
      const again = await repo.entire(args, input)
      if (again.code !== 0) expect(again.err).toContain('not found')
      expect(await objectsWith(repo, texts)).toEqual([])
      expect(filesWith(repo.repo.commonDir, texts)).toEqual([])
      await expectSound(repo)
    }
  }))

test('checkpoints with a ref of their own are purged like those on the branch', async () => {
  await using repo = await recordedRepo()
  repo.write('.entire/settings.local.json', '{"checkpoints":{"primary":{"type":"git-refs"}}}\n')
  repo.write('.gitignore', '.claude/\n')
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.turn(`use ${secret}`, { 'a.txt': 'a\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  const first = await repo.checkpointOf()
  await agent.turn('and go on', { 'b.txt': 'b\n' })
  await repo.commitAs('human', 'b', 'b.txt')
  const second = await repo.checkpointOf()
  expect(first.length).toBe(26)
  expect((await repo.entire(['purge', '-', '--force'], { stdin: secret })).code).toBe(0)
  expect(await objectsWith(repo, forms)).toEqual([])
  expect((await repo.entire(['explain', first, '--no-pager'])).out).toContain('use REDACTED')
  expect((await repo.entire(['purge', first, '--force'])).code).toBe(0)
  expect((await repo.refs('refs/entire/checkpoints/')).map((ref) => ref.slice(-26))).toEqual([second])
  await expectSound(repo)
  await agent.turn('and on', { 'c.txt': 'c\n' })
  await repo.commitAs('human', 'c', 'c.txt')
  expect((await repo.entire(['explain', await repo.checkpointOf(), '--no-pager'])).code).toBe(0)
})

test('checkpoints that only the remote has are taken in, so that replacing its branch loses none', async () => {
  await using repo = await recordedRepo()
  const origin = `${repo.base}/origin.git`
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', origin)
  await repo.git('remote', 'add', 'origin', origin)
  repo.write('.gitignore', '.claude/\n')
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.turn(`use ${secret}`, { 'a.txt': 'a\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  await repo.git('push', '--quiet', 'origin', 'main')
  const theirs = `${repo.base}/theirs`
  await repo.git('clone', '--quiet', '--branch', 'entire/checkpoints/v1', origin, theirs)
  mkdirSync(join(theirs, 'ab/cdef012345'), { recursive: true })
  writeFileSync(join(theirs, 'ab/cdef012345/metadata.json'), '{"checkpoint_id":"abcdef012345"}\n')
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
  await repo.git('-C', theirs, 'add', '.')
  await repo.git('-C', theirs, ...author, 'commit', '--quiet', '-m', 'theirs')
  await repo.git('-C', theirs, 'push', '--quiet')
  await repo.git('fetch', '--quiet', 'origin')
  const done = await repo.entire(['purge', '-', '--force'], { stdin: secret })
  expect(await repo.paths(metadata)).toContain('ab/cdef012345/metadata.json')
  const command = /^ {2}(git push .*)$/m.exec(done.out)?.[1] ?? ''
  expect((await repo.run(['sh', '-c', command])).code).toBe(0)
  expect(await repo.git('ls-remote', origin, metadata)).toStartWith(await repo.git('rev-parse', metadata))
  expect(await objectsWith(repo, forms)).toEqual([])
})

test('what Entire owns is rewritten although the user has looked at it or keeps a copy, and each holder is named', async () => {
  await using repo = await recordedRepo()
  const origin = `${repo.base}/origin.git`
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', origin)
  await repo.git('remote', 'add', 'origin', origin)
  repo.write('.gitignore', '.claude/\n')
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.turn(`use ${secret}`, { 'a.txt': 'a\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  await repo.git('push', '--quiet', 'origin', 'main')
  await agent.turn('go on', { 'b.txt': `${secret}\n` })
  const [shadow = ''] = await repo.shadows()
  const quiet = ['-c', 'core.hooksPath=/dev/null']
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
  rmSync(join(repo.root, 'b.txt'))
  for (const seen of ['entire/checkpoints/v1', shadow]) {
    await repo.git(...quiet, 'checkout', '--quiet', '--force', seen)
    await repo.git(...quiet, 'checkout', '--quiet', '--force', 'main')
  }
  await repo.git(...author, 'tag', '--annotate', '-m', 'kept', 'keep', metadata)
  await repo.git('branch', 'looked-at', shadow)
  const merge = ['merge', '--quiet', '--allow-unrelated-histories', '-s', 'ours', '-m', 'all of it']
  await repo.git(...quiet, 'checkout', '--quiet', '-b', 'merged')
  await repo.git(...quiet, ...author, ...merge, metadata)
  await repo.git(...quiet, 'checkout', '--quiet', 'main')
  const holdsIt = async (ref: string) => {
    const { stdout } = await repo.run(['git', 'log', '-p', '--text', ref, '--'])
    return forms.some((form) => Buffer.from(stdout).includes(form))
  }
  const live = [metadata, `refs/heads/${shadow}`]
  expect(await Promise.all(live.map(holdsIt))).toEqual([true, true])
  const before = await repo.git('rev-parse', 'refs/tags/keep', 'refs/heads/looked-at', 'refs/heads/merged')

  const done = await repo.entire(['purge', '-', '--force'], { stdin: secret })
  expect(await Promise.all(live.map(holdsIt))).toEqual([false, false])
  expect(done.code).toBe(1)
  expect(done.out).toContain('Still held by')
  for (const holder of ['tag keep', 'branch looked-at', 'branch merged', 'reflog of HEAD'])
    expect(done.out).toContain(`  ${holder}`)
  expect(done.out).toContain('git push --force-with-lease=')
  expect(await repo.git('rev-parse', 'refs/tags/keep', 'refs/heads/looked-at', 'refs/heads/merged')).toBe(
    before,
  )
  await expectSound(repo)

  const again = await repo.entire(['purge', '-', '--force', '--json'], { stdin: secret })
  expect(again.code).toBe(1)
  expect(JSON.parse(again.out).left.holders).toContain('tag keep')
  // What the report tells to type lets go of it.
  const commands = [...done.out.matchAll(/^ {2}\S.*: (git (?:tag|branch|reflog) .*)$/gm)].map(
    ([, text]) => text,
  )
  expect(commands.length).toBeGreaterThan(3)
  for (const command of commands) await repo.run(['sh', '-c', `${command}`])
  const last = await repo.entire(['purge', '-', '--force'], { stdin: secret })
  expect({ code: last.code, left: await objectsWith(repo, forms) }).toEqual({ code: 0, left: [] })
  await expectSound(repo)
  expect((await repo.entire(['doctor'])).out).not.toContain('gravel')
})

const escapeAll = (text: string, write: (digits: string) => string) =>
  text.replace(/[\s\S]/g, (unit) => `\\u${write(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
const nested = (text: string, levels: number): string =>
  levels === 0 ? text : nested(JSON.stringify({ text }), levels - 1)

const written: [string, string][] = [
  ['a letter with upper-case digits', 'aaa\\u003Cbbbccc'],
  ['a sign that needs no escape', 'aaa\\u003cbbbccc'],
  ['an ordinary letter', '\\u0061aa<bbbccc'],
  ['everything', escapeAll('aaa<bbbccc', (digits) => digits.toUpperCase())],
  ['everything, deeply nested', JSON.stringify(nested(escapeAll('aaa<bbbccc', String), 4)).slice(1, -1)],
]

test('a secret is found as JSON means it, however it is escaped', async () => {
  await using repo = await recordedRepo()
  repo.write('.gitignore', '.claude/\n')
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  const odd = 'flügel 😀 \\ "x"\n\'+end\\'
  const lines = [
    ...written.map(([title, text]) => `{"type":"note","title":"${title}","text":"mark ${text} mark"}`),
    ...[String, (digits: string) => digits.toUpperCase()].flatMap((write) =>
      [0, 1, 2, 3, 4].map((level) =>
        JSON.stringify({ title: `odd ${level}`, text: nested(`"${escapeAll(odd, write)}"`, level) }),
      ),
    ),
    ...[0, 1, 2, 3, 4].map((level) => JSON.stringify({ title: `plain ${level}`, text: nested(odd, level) })),
  ]
  appendFileSync(agent.transcript, `${lines.join('\n')}\n`)
  repo.write('raw.txt', `${odd}\n`)
  await agent.turn('work', { 'a.txt': 'a\n' })
  await repo.commitAs('human', 'a', 'a.txt')
  const decoded = (text: string, level = 0): string =>
    level === 6 || !text.includes('\\')
      ? text
      : decoded(
          text
            .replaceAll('\\\\', '\\')
            .replace(/\\u([0-9a-fA-F]{4})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16))),
          level + 1,
        )
  const id = await repo.checkpointOf()
  expect(decoded(await repo.transcript(id))).toContain('flügel')
  for (const secretText of ['aaa<bbbccc', odd]) {
    const done = await repo.entire(['purge', '-', '--force'], { stdin: `${secretText}\n` })
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('none holds it') })
  }
  const text = await repo.transcript(id)
  for (const line of text.trimEnd().split('\n')) JSON.parse(line)
  for (const part of ['bbbccc', 'flügel', '😀']) expect(decoded(text)).not.toContain(part)
  for (const [title] of written) expect(text).toMatch(new RegExp(`"${title}".*mark .*REDACTED.* mark`))
  expect(await objectsWith(repo, ['flügel', 'bbbccc', '003Cbbb', '003cbbb'])).toEqual([])
  await expectSound(repo)
})
