// Choosing a point on a real terminal: menus, questions, and leaving them without changes.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf } from '../support/rewind-points.ts'
import { keys, openTerminal } from '../support/terminal.ts'

const open = ({ root, env }: RecordedRepo, extra: Record<string, string> = {}, args: string[] = []) =>
  openTerminal([binary, 'rewind', ...args], { cwd: root, env: { ...env, TERM: 'xterm-256color', ...extra } })

async function twoSteps() {
  const repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n', 'b.txt': 'two\n' })
  const [two = '', one = ''] = (await pointsOf(repo)).map(({ id }) => id.slice(0, 7))
  return { repo, agent, one, two }
}

/**
 * The menu of a commit, drawn completely. The first menu contains 'Cancel', too, and is redrawn at each key.
 */
const commitMenu = /Choose an action:[\s\S]*Cancel/

async function twoCommits() {
  const repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('first', { 'a.txt': 'the first work\n' })
  const first = await repo.commitAs('human', 'add a')
  await agent.turn('second', { 'b.txt': 'the second work\n' })
  const second = await repo.commitAs('human', 'add b')
  return { repo, agent, first, second }
}

test('a step is chosen, shown, confirmed and restored', async () => {
  const { repo, agent, one } = await twoSteps()
  await using _repo = repo
  await using terminal = open(repo)
  const menu = await terminal.sees('Cancel')
  expect(menu).toContain('Select a point to rewind to')
  expect(menu).toContain('Takes back what the agent did since then; files that only you changed stay.')
  expect(menu).toMatch(/ {8}\(\d{4}-\d\d-\d\d \d\d:\d\d\) Two/)
  await terminal.press(keys.down, keys.enter)
  const question = await terminal.sees('`entire rewind --undo` restores it.')
  expect(question).toContain(`Reset to ${one}?`)
  expect(question).toContain(`Selected: ${one} One`)
  expect(question).toMatch(/Warning: The following files will be DELETED:\s+- b\.txt/)
  expect(repo.read('a.txt')).toBe('two\n')
  await terminal.press('y')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain(`Rewound to ${one}. claude -r ${agent.session}`)
  expect(repo.read('a.txt')).toBe('one\n')
})

test.each([
  [
    'Cancel in the menu',
    async (press: (...pressed: string[]) => Promise<void>) => press(keys.down, keys.down, keys.enter),
  ],
  ['Ctrl-C in the menu', async (press: (...pressed: string[]) => Promise<void>) => press(keys.interrupt)],
  [
    'no to the question',
    async (press: (...pressed: string[]) => Promise<void>) => press(keys.down, keys.enter, 'n'),
  ],
  [
    'Ctrl-C at the question',
    async (press: (...pressed: string[]) => Promise<void>) => press(keys.down, keys.enter, keys.interrupt),
  ],
])('%s changes nothing', async (_name, leave) => {
  const { repo, agent } = await twoSteps()
  await using _repo = repo
  const log = readFileSync(agent.transcript, 'utf8')
  await using terminal = open(repo)
  await terminal.sees('Cancel')
  await leave(async (...pressed) => {
    for (const key of pressed) {
      await terminal.press(key)
      if (key === keys.enter) await Promise.race([terminal.sees('Reset to'), terminal.exited()])
    }
  })
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain('Rewind cancelled.')
  expect([repo.read('a.txt'), repo.read('b.txt'), readFileSync(agent.transcript, 'utf8')]).toEqual([
    'two\n',
    'two\n',
    log,
  ])
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(1)
})

test('without points the command explains how they are created', async () => {
  await using repo = await recordedRepo()
  await using terminal = open(repo)
  await terminal.sees('sessions end.')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toBe(
    'No rewind points found.\nRewind points are created automatically when agent sessions end.\n',
  )
})

test('ACCESSIBLE=1 asks in plain lines', async () => {
  const { repo, one } = await twoSteps()
  await using _repo = repo
  await using terminal = open(repo, { ACCESSIBLE: '1' })
  expect(await terminal.sees('Number: ')).toMatch(/1\. {9}\(.*\) Two\s+2\. {9}\(.*\) One\s+3\. Cancel/)
  await terminal.press('2\r')
  await terminal.sees(`Reset to ${one}?`)
  await terminal.press('y\r')
  expect(await terminal.exited()).toBe(0)
  expect(repo.read('a.txt')).toBe('one\n')
  expect(terminal.raw()).not.toContain('\x1b')
})

test.each([
  ['Ctrl-C', keys.interrupt, (code: number) => expect(code).not.toBe(0)],
  ['the end of the input', keys.end, (code: number) => expect(code).toBe(0)],
])('%s at a plain question changes nothing', async (_name, key, expectCode) => {
  const { repo } = await twoSteps()
  await using _repo = repo
  const env = { ...repo.env, ACCESSIBLE: '1' }
  // Only a program that owns the terminal receives the key.
  await using terminal = openTerminal(['setsid', '--ctty', '--wait', binary, 'rewind'], {
    cwd: repo.root,
    env,
  })
  await terminal.sees('Number: ')
  await terminal.press(key)
  expectCode(await terminal.exited())
  expect(repo.read('a.txt')).toBe('two\n')
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(1)
})

test('labels distinguish sessions by their prompts and mark tasks, without escape sequences', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('wipe \x1b[2J\x1b]0;owned\x07 \u202eit', { 'a\x1b[31m.txt': 'one\n' })
  await two.prompt('of two')
  await two.task({
    toolUse: 'toolu_1',
    subagent: 'a1',
    description: 'Do \x1b[1A it',
    work: ({ run }) => run('t.txt', 't\n'),
  })
  await two.stop()
  await using terminal = open(repo)
  const menu = await terminal.sees('Cancel')
  expect(menu).toContain('[Task] Completed')
  expect(menu).toContain('[of two]')
  await terminal.press(keys.down, keys.down, keys.enter)
  await terminal.sees('Reset to')
  await terminal.press('y')
  await terminal.exited()
  for (const attack of ['\x1b[2J', '\x1b]0;', '\x1b[31m.txt', '\u202e', '\x1b[1A it'])
    expect(terminal.raw()).not.toContain(attack)
})

test('long lines are cut to the terminal', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  await fakeAgent(repo).turn('a prompt that is longer than a narrow terminal is wide, by far', {
    'a.txt': 'one\n',
  })
  await using terminal = openTerminal([binary, 'rewind'], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm' },
    columns: 50,
  })
  expect(await terminal.sees('Cancel')).toContain('…')
})

test('the logs of a commit are restored from its menu', async () => {
  const { repo, agent, first, second } = await twoCommits()
  await using _repo = repo
  await using terminal = open(repo)
  expect(await terminal.sees('Cancel')).toMatch(new RegExp(`${second.slice(0, 7)} \\(.*\\) add b`))
  await terminal.press(keys.down, keys.enter)
  const menu = await terminal.sees(commitMenu)
  expect(menu).toContain(`Commit ${first.slice(0, 7)}`)
  expect(menu).toContain('This commit has session logs but no step. Choose an action:')
  for (const option of [
    'Restore logs only (keep current files)',
    'Checkout commit (detached HEAD, for viewing)',
    'Reset branch to this commit (destructive!)',
  ])
    expect(menu).toContain(option)
  await terminal.press(keys.enter)
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain(`Restored session logs.\nclaude -r ${agent.session}  # first\n`)
  expect([agent.lines().length, await repo.head()]).toEqual([3, second])
})

test('a commit is checked out for viewing, and uncommitted work is kept', async () => {
  const { repo, first } = await twoCommits()
  await using _repo = repo
  repo.write('a.txt', 'uncommitted\n')
  await using terminal = open(repo)
  await terminal.sees('Cancel')
  await terminal.press(keys.down, keys.enter)
  await terminal.sees(commitMenu)
  await terminal.press(keys.down, keys.enter)
  expect(await terminal.sees('Create detached HEAD?')).toContain('Restored session logs.')
  await terminal.press('y')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain(`Checked out ${first.slice(0, 7)} (detached HEAD).`)
  expect([await repo.head(), await repo.git('branch', '--show-current'), repo.read('a.txt')]).toEqual([
    first,
    '',
    'uncommitted\n',
  ])
})

test('a checkout that would overwrite something is refused, or declined', async () => {
  const { repo, second } = await twoCommits()
  await using _repo = repo
  repo.write('b.txt', 'uncommitted\n')
  for (const [answer, text] of [
    ['y', 'error: git'],
    ['n', 'Checkout cancelled. Session logs were still restored.'],
  ] as const) {
    await using terminal = open(repo)
    await terminal.sees('Cancel')
    await terminal.press(keys.down, keys.enter)
    await terminal.sees(commitMenu)
    await terminal.press(keys.down, keys.enter)
    await terminal.sees('Create detached HEAD?')
    await terminal.press(answer)
    await terminal.exited()
    expect(terminal.text()).toContain(text)
    expect([await repo.head(), repo.read('b.txt')]).toEqual([second, 'uncommitted\n'])
  }
})

test('a reset shows what it replaces, and runs only after confirmation', async () => {
  const { repo, first, second } = await twoCommits()
  await using _repo = repo
  repo.write('a.txt', 'uncommitted\n')
  for (const answer of ['n', 'y']) {
    await using terminal = open(repo, {}, ['--to', first, '--reset'])
    const question = await terminal.sees('restores files, index and branch.')
    expect(question).toContain('Reset branch with warnings?')
    expect(question).toContain('The following uncommitted changes will be reverted:')
    expect(question).toMatch(/modified: {2}a\.txt \(\+1\/-1\)/)
    expect(question).toContain('• 1 commit(s) after this point will be orphaned')
    await terminal.press(answer)
    expect(await terminal.exited()).toBe(0)
    expect(terminal.text()).toContain(
      answer === 'n'
        ? 'Reset cancelled. Session logs were still restored.'
        : `Reset branch to ${first.slice(0, 7)}.`,
    )
    expect(await repo.head()).toBe(answer === 'n' ? second : first)
  }
  await repo.entire(['rewind', '--undo'])
  expect([await repo.head(), repo.read('a.txt')]).toEqual([second, 'uncommitted\n'])
})

test('an error and its hint are wrapped to the terminal', async () => {
  await using repo = await recordedRepo()
  const argv = [binary, 'rewind', '--to', 'abcdef0', '--reset', '--logs-only']
  await using narrow = openTerminal(argv, { cwd: repo.root, env: repo.env, columns: 40 })
  expect(await narrow.exited()).toBe(2)
  expect(narrow.text()).toBe(
    'error: --reset and --logs-only cannot be\nused together\nhint: One moves the branch, the other\ndoes not.\n',
  )
})
