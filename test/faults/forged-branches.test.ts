// Forges checkpoints and steps object by object, as anyone with push access can: every command reads them
// without writing outside of the work tree, without a crash, and without letting them control the terminal.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { fakeAgent } from '../support/fake-agent.ts'
import { evil } from '../support/hostile-repo.ts'
import { faultsOf, knownSession, makeOutside, readOutside } from '../support/outside.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rotatingRuns, rotationTitle, timeLimit } from '../support/rotation.ts'
import { counted, type Trials } from '../support/trials.ts'

setDefaultTimeout(timeLimit(120_000))

const ids = ['a3b2c4d5e6f7', 'a3b2ffffffff', '0123456789ab']

const word = fc.constantFrom<unknown>(
  ...[
    knownSession,
    '../../../.profile',
    '/etc/cron.d/x',
    '..',
    '.',
    '',
    'a/b',
    'a\\b',
    '-rf',
    '--help',
    'x; touch ran',
  ],
  ...[
    '$(touch ran)',
    'a\nEntire-Session: b',
    evil('x'),
    'C:\\x',
    '~/.bashrc',
    '.git/hooks/post-commit',
    'x'.repeat(5_000),
  ],
  ...['__proto__', 'constructor', '\ud800', 'ünï', null, 0, -1, 1e21, true, [], {}, ['../x'], { length: 1 }],
)

const record = fc.dictionary(
  fc.constantFrom(
    ...[
      'session_id',
      'agent',
      'model',
      'created_at',
      'branch',
      'turn_id',
      'strategy',
      'checkpoint_id',
      'sessions',
    ],
    ...[
      'files_touched',
      'transcript_path',
      'tool_use_id',
      'summary',
      'token_usage',
      'initial_attribution',
      'cli_version',
    ],
    ...[
      'checkpoints_count',
      'transcript_identifier_at_start',
      'checkpoint_transcript_start',
      'redactions',
      '__proto__',
    ],
  ),
  word,
)

const json = fc.oneof(
  {
    weight: 5,
    arbitrary: record.map((value) =>
      JSON.stringify({ session_id: knownSession, agent: 'Claude Code', sessions: [{}], ...value }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '\0',
      '\ufeff{}',
      '['.repeat(30_000),
      '{"a":'.repeat(30_000),
    ),
  },
)

const lines = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom('user', 'assistant', evil('x')), word)
        .map(([type, content]) =>
          JSON.stringify({ type, uuid: 'u', timestamp: content, message: { role: type, content } }),
        ),
      fc.constantFrom('{', '\0', evil('line'), '[]', 'null', '['.repeat(20_000), 'x'.repeat(100_000)),
    ),
    { maxLength: 5 },
  )
  .map((all) => all.join('\n'))

/** An entry of a tree: a file, a link, a submodule, or a directory. */
type Entry = { mode: string; content: string }
const asFile = (content: string): Entry => ({ mode: '100644', content })
const entryOf = (content: fc.Arbitrary<string>): fc.Arbitrary<Entry> =>
  fc.oneof(
    { weight: 8, arbitrary: content.map(asFile) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('../../../../home/outside/.bashrc', '/etc/passwd', '.')
        .map((target) => ({ mode: '120000', content: target })),
    },
    { weight: 1, arbitrary: fc.constant({ mode: '160000', content: '' }) },
    { weight: 1, arbitrary: fc.constant({ mode: '40000', content: '' }) },
  )

const checkpoint = fc.record(
  {
    'metadata.json': entryOf(json),
    '0/metadata.json': entryOf(json),
    '0/full.jsonl': entryOf(lines),
    '0/full.jsonl.001': entryOf(lines),
    '0/prompt.txt': entryOf(word.map(String)),
    '0/content_hash.txt': entryOf(word.map(String)),
    '1/metadata.json': entryOf(json),
    '1/full.jsonl': entryOf(lines),
    '00/metadata.json': entryOf(json),
    '0/tasks/toolu_1/checkpoint.json': entryOf(json),
    '99999999999999999999/metadata.json': entryOf(json),
    '../metadata.json': entryOf(json),
    '.git/hooks/post-commit': entryOf(fc.constant('#!/bin/sh\ntouch ran\n')),
  },
  { requiredKeys: ['metadata.json'] },
)

/** Files of a step. Trees are forged byte for byte, so that a path may climb, and a link have files below. */
const stepFiles = fc.subarray(
  [
    ['a.txt', asFile('of the step\n')],
    ['../outside.txt', asFile('x\n')],
    ['../home/outside/.bashrc', asFile('touch ran\n')],
    ['.git/hooks/post-commit', { mode: '100755', content: '#!/bin/sh\ntouch ran\n' }],
    ['.GIT/config', asFile('[core]\n\tfsmonitor = touch ran\n')],
    ['.git', { mode: '120000', content: '/nowhere' }],
    ['link', { mode: '120000', content: '../home/outside' }],
    ['link/a.txt', asFile('behind the link\n')],
    ['.entire/settings.json', asFile('{"enabled":true}')],
    ['.entire', { mode: '120000', content: '../home/outside' }],
    [`.entire/metadata/${knownSession}/full.jsonl`, asFile('{}\n')],
    [`.entire/metadata/${knownSession}/prompt.txt`, asFile(evil('prompt'))],
    ['.entire/metadata/../../../x', asFile('x\n')],
    ['sub', { mode: '160000', content: '' }],
    [evil('name').replace('\r', ''), asFile('x\n')],
    ['two\nlines', asFile('x\n')],
    ['/absolute', asFile('x\n')],
    ['', asFile('x\n')],
    ['odd-mode', { mode: '100777', content: 'x\n' }],
  ] as [string, Entry][],
  { minLength: 3 },
)

const step = fc.record({
  files: stepFiles,
  subject: fc.constantFrom('work', evil('step'), '', '-rf', 'x'.repeat(10_000)),
  trailers: fc.dictionary(
    fc.constantFrom(
      ...[
        'Entire-Metadata',
        'Entire-Metadata-Task',
        'Entire-Session',
        'Entire-Strategy',
        'Entire-Before-Turn',
        'Ephemeral-Branch',
      ],
    ),
    word.map(String),
  ),
})

const forgery = fc.record({
  checkpoints: fc.array(checkpoint, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  isCircular: fc.boolean(),
  isHuge: fc.boolean(),
})
type Forgery = typeof forgery extends fc.Arbitrary<infer T> ? T : never

test(`forged checkpoints and steps are read without harm (${rotationTitle})`, () =>
  counted('branches', (trials) =>
    fc.assert(
      fc.asyncProperty(forgery, (forged) => read(forged, trials)),
      { ...rotatingRuns(5), endOnFailure: true, verbose: 1 },
    ),
  ))

async function read(forged: Forgery, trials: Trials): Promise<void> {
  await using repo = await recordedRepo()
  makeOutside(repo)
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/origin.git`)
  await repo.git('remote', 'add', 'origin', `${repo.base}/origin.git`)
  const agent = fakeAgent(repo)
  repo.write('a.txt', 'a line\n')
  await repo.git('add', '--all')
  const linked = ids.map((id) => `Entire-Checkpoint: ${id}`).join('\n')
  await repo.git('commit', '--quiet', '--no-verify', '-m', `${evil('work')}\n\n${linked}`)
  const head = await repo.head()
  const [tip] = forge(repo, forged, head)
  // What commands are for: logs where the agent keeps them, and what is pushed.
  const written = /^origin\.git|^home\/\.claude\/projects\/[^/]+(?:\/[^/]+\.jsonl)?$|^ran$/
  const before = readOutside(repo, written)
  for (const args of [
    ['explain'],
    ...ids.flatMap((id) => [
      ['explain', id],
      ['explain', id, '--full'],
    ]),
    ['explain', '--commit', 'HEAD'],
    ['rewind', '--list'],
    ['status', '--detailed'],
    ['doctor'],
    ['diff', '--stat'],
    ['diff', '--stat', tip],
    ['rewind', '--to', tip, '--everything'],
    ['redo'],
    ['undo'],
    ['rewind', '--to', head, '--logs-only'],
    ['resume', 'main', '--force'],
    ['hook', 'stop'],
    ['git', 'push', '--quiet', 'origin', 'main'],
    ['clean', '--all', '--dry-run'],
    ['doctor', '--force'],
    ['clean', '--all', '--force'],
  ] as string[][]) {
    trials.begin()
    const { code, text } = await run(repo, agent, args)
    const after = readOutside(repo, written)
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (name) => before.get(name) !== after.get(name),
    )
    // `diff` ends as git does, which reads the trees for it.
    const isKnown = code <= 2 || (args[0] === 'diff' && code === 128)
    expect({ args, changed, isKnown, faults: faultsOf(text), ran: isRun(repo) }).toEqual({
      args,
      changed: [],
      isKnown: true,
      faults: [],
      ran: false,
    })
  }
}

async function run(repo: RecordedRepo, agent: ReturnType<typeof fakeAgent>, args: string[]) {
  if (args[0] === 'hook') {
    await agent.hook('user-prompt-submit', { prompt: 'go on' })
    agent.write('b.txt', 'b\n')
    const { code, err } = await agent.hook('stop')
    return { code, text: err }
  }
  if (args[0] === 'git') {
    const ran = await repo.run(args, { env: { ...repo.env, ENTIRE_TEST_TTY: '1' } })
    // Git refuses what is forged; that is its right.
    return {
      code: ran.code > 2 ? 1 : ran.code,
      text: ran.stderr
        .split('\n')
        .filter((line) => line.startsWith('[entire]'))
        .join('\n'),
    }
  }
  const { code, out, err } = await repo.entire(args)
  return { code, text: out + err }
}

const isRun = (repo: RecordedRepo) =>
  [repo.base, repo.root, join(repo.base, 'home')].some((dir) => existsSync(join(dir, 'ran')))

/** Writes the branches; returns the step at the tip. */
function forge(repo: RecordedRepo, forged: Forgery, head: string): [tip: string] {
  const files: [string, Entry][] = forged.checkpoints.flatMap((files, index) => {
    const id = ids[index] as string
    return Object.entries(files).map(([path, entry]): [string, Entry] => [
      `${id.slice(0, 2)}/${id.slice(2)}/${path}`,
      entry as Entry,
    ])
  })
  if (forged.isHuge)
    for (let index = 0; index < 2_000; index += 1)
      files.push([
        `${index.toString(16).padStart(2, '0').slice(0, 2)}/${String(index).padStart(10, '0')}/metadata.json`,
        asFile('{}'),
      ])
  const v1 = putCommit(repo, { tree: putTree(repo, files), parents: [], message: `${evil('Checkpoint')}\n` })
  putRef(repo, 'refs/heads/entire/checkpoints/v1', v1)
  let tip = head
  const steps = forged.steps.map(({ files: paths, subject, trailers }) => {
    const message = `${subject}\n\n${Object.entries(trailers)
      .map(([key, value]) => `${key}: ${value}`)
      .join('\n')}\n`
    tip = putCommit(repo, { tree: putTree(repo, paths), parents: [tip], message })
    return tip
  })
  putRef(repo, `refs/heads/${repo.shadow(head)}`, tip)
  if (forged.isCircular) {
    // The first step has the last one as its parent.
    const round = putCommit(repo, { tree: putTree(repo, []), parents: [tip], message: 'round\n' })
    putRef(repo, `refs/replace/${steps[0]}`, round)
  }
  return [tip]
}

function putTree(repo: RecordedRepo, files: [string, Entry][]): string {
  const below = new Map<string, [string, Entry][]>()
  const entries: [name: string, mode: string, oid: string][] = []
  for (const [path, entry] of files) {
    const slash = path.indexOf('/')
    // A path that begins with a slash has a first part without a name.
    if (slash === -1) entries.push([path, entry.mode, oidOf(repo, entry)])
    else
      below.set(path.slice(0, slash), [
        ...(below.get(path.slice(0, slash)) ?? []),
        [path.slice(slash + 1), entry],
      ])
  }
  for (const [name, inner] of below) entries.push([name, '40000', putTree(repo, inner)])
  const bytes = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, mode, oid]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]))
  return putObject(repo, 'tree', Buffer.concat(bytes))
}

function oidOf(repo: RecordedRepo, { mode, content }: Entry): string {
  if (mode === '160000') return 'ab'.repeat(20)
  return mode === '40000'
    ? putTree(repo, [['x', asFile('x\n')]])
    : putObject(repo, 'blob', Buffer.from(content))
}

function putCommit(repo: RecordedRepo, commit: { tree: string; parents: string[]; message: string }): string {
  const who = `${evil('who').replaceAll(/[\r\n<>]/g, '')} <x@example.com> 1770000000 +0000`
  const parents = commit.parents.map((oid) => `parent ${oid}\n`).join('')
  return putObject(
    repo,
    'commit',
    Buffer.from(`tree ${commit.tree}\n${parents}author ${who}\ncommitter ${who}\n\n${commit.message}`),
  )
}

function putObject({ repo }: RecordedRepo, type: string, body: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])
  const oid = createHash('sha1').update(bytes).digest('hex')
  const path = join(repo.commonDir, 'objects', oid.slice(0, 2), oid.slice(2))
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) writeFileSync(path, deflateSync(bytes, { level: 1 }))
  return oid
}

function putRef({ repo }: RecordedRepo, ref: string, oid: string): void {
  mkdirSync(dirname(join(repo.commonDir, ref)), { recursive: true })
  writeFileSync(join(repo.commonDir, ref), `${oid}\n`)
}
