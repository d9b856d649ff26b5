// Changes to watched files, and interrupted, duplicate and wrongly used watchers.
import { expect, test } from 'bun:test'
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { examples, wordsOf } from '../support/manual-examples.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { type ScriptedAider, scriptedAider } from '../support/scripted-aider.ts'
import { openTerminal, underControl } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { startWatching, type Watching } from '../support/watching.ts'

interface Scene extends AsyncDisposable {
  repo: RecordedRepo
  watch: Watching
  aider: ScriptedAider
}

async function scene(): Promise<Scene> {
  const repo = await recordedRepo({ agent: 'aider' })
  const watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('one', { 'one.txt': '1\n' })
  await watch.hears('turn-end')
  return {
    repo,
    watch,
    aider,
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      await repo[Symbol.asyncDispose]()
    },
  }
}

const prompts = (watch: Watching) =>
  watch
    .told()
    .filter(({ event }) => event === 'turn-start')
    .map(({ prompt }) => prompt)

test('reading continues in a file that was replaced by one with the same beginning', async () => {
  await using at = await scene()
  const copy = `${at.aider.history}.new`
  writeFileSync(copy, `${readFileSync(at.aider.history, 'utf8')}\n#### two  \n`)
  renameSync(copy, at.aider.history)
  await at.watch.hears('turn-start', 2)
  appendFileSync(at.aider.history, '\nFine.\n\n> Tokens: 1 sent, 1 received.  \n')
  await at.watch.hears('turn-end', 2)
  expect(prompts(at.watch)).toEqual(['one', 'two'])
})

test('a history whose beginning was removed is not recorded again, and reading continues', async () => {
  await using at = await scene()
  const text = readFileSync(at.aider.history, 'utf8')
  writeFileSync(at.aider.history, text.slice(text.indexOf('# aider')))
  at.aider.turn('two', { 'two.txt': '2\n' })
  at.aider.turn('three', { 'three.txt': '3\n' })
  await at.watch.hears('turn-end', 3)
  expect(prompts(at.watch)).toEqual(['one', 'two', 'three'])
})

test('an emptied, removed or renamed history starts over', async () => {
  await using at = await scene()
  const ways = [
    () => truncateSync(at.aider.history),
    () => rmSync(at.aider.history),
    () => renameSync(at.aider.history, join(at.repo.base, 'kept.md')),
  ]
  for (const [index, away] of ways.entries()) {
    const before = at.aider.session()
    away()
    // A start in the same second would be the same session.
    await until(
      () => {
        const date = new Date()
        const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
        return !before.endsWith(local.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-'))
      },
      () => 'the clock stands still',
    )
    at.aider.start()
    at.aider.turn(`after ${index}`, { [`after-${index}.txt`]: 'x\n' })
    await at.watch.hears('turn-end', index + 2)
    expect(at.repo.state(at.aider.session())).toMatchObject({ session_turn_count: 1 })
  }
  expect(prompts(at.watch)).toEqual(['one', 'after 0', 'after 1', 'after 2'])
})

test('old sessions that are added to the history are not recorded', async () => {
  await using at = await scene()
  appendFileSync(
    at.aider.history,
    '\n# aider chat started at 2026-01-01 00:00:00\n\n#### old  \n\nOld.\n\n> Tokens: 1 sent, 1 received.  \n',
  )
  await at.watch.stop()
  expect(prompts(at.watch)).toEqual(['one'])
})

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} completes the running turn`, async () => {
    await using repo = await recordedRepo({ agent: 'aider' })
    await using watch = await startWatching(repo, [], { quiet: 600 })
    const aider = scriptedAider(repo)
    aider.start()
    aider.type('one')
    await watch.hears('turn-start')
    aider.answer('Here.')
    aider.edit({ 'one.txt': '1\n' })
    expect(await watch.stop(signal)).toBe(0)
    expect(watch.told().map(({ event }) => event)).toEqual([
      'watching',
      'session',
      'turn-start',
      'turn-end',
      'stopped',
    ])
    expect(repo.state(aider.session())).toMatchObject({ phase: 'idle', files_touched: ['one.txt'] })
  })
}

test('after a watcher is killed during a turn, the next one completes it, once', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using first = await startWatching(repo, [], { quiet: 600 })
  const aider = scriptedAider(repo)
  aider.start()
  aider.type('one')
  await first.hears('turn-start')
  // Killed between reporting and saving it, the turn would look as if hooks record it.
  const noted = () => readFileSync(join(repo.root, '.git/entire-watch.json'), 'utf8').includes('"open"')
  await until(noted, () => 'The turn was not noted.')
  await first.stop('SIGKILL')
  aider.answer('Here.')
  aider.edit({ 'one.txt': '1\n' })
  await using second = await startWatching(repo)
  await second.hears('turn-end')
  expect(prompts(second)).toEqual([])
  expect(repo.state(aider.session())).toMatchObject({ session_turn_count: 1, checkpoint_count: 1 })
})

test('a second watcher reports the first one and exits', async () => {
  await using at = await scene()
  const second = await at.repo.entire(['watch'])
  expect(second.code).toBe(1)
  expect(second.err).toMatch(
    /^error: Another `entire watch` is running in this work tree \(process \d+\)\.\nhint: /,
  )
  const other = await at.repo.addWorktree('other')
  await other.entire(['enable', '--agent', 'aider'])
  await using elsewhere = await startWatching(other)
  expect(elsewhere.told()).toHaveLength(1)
})

test('the watcher writes nothing to the work tree', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  const before = readdirSync(repo.root).toSorted()
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('one', { 'one.txt': '1\n' })
  await watch.hears('turn-end')
  await watch.stop()
  expect(readdirSync(repo.root).toSorted()).toEqual(
    [...before, '.aider.chat.history.md', 'one.txt'].toSorted(),
  )
  expect(await repo.git('status', '--porcelain', '--untracked-files=all')).not.toContain('.entire/tmp')
})

test('a terminal shows what is watched and a line for each turn, and Ctrl-C stops it', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using terminal = openTerminal([...underControl, binary, 'watch', '--quiet-seconds', '0.2'], {
    cwd: repo.root,
    env: repo.env,
  })
  await terminal.sees(`Watching Aider in ${repo.root} (Ctrl-C to stop)`)
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('greet\x1b[31m in French', { 'greet.txt': 'Bonjour\n' })
  await terminal.sees('… "greet in French"')
  await terminal.sees('✓ recorded "greet in French": greet.txt')
  await terminal.press('\x03')
  await terminal.sees('Stopped.')
  expect(await terminal.exited()).toBe(0)
})

test('disabled and unconfigured repositories, unknown agents and invalid numbers are errors', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  const said = async (...args: string[]) => {
    const { code, out, err } = await repo.entire(['watch', ...args])
    return [code, (out + err).split('\n')[0]]
  }
  expect(await said('--agent', 'nobody')).toEqual([1, 'error: Unknown agent "nobody"'])
  expect(await said('--agent', '')).toEqual([2, 'error: --agent requires a value'])
  expect(await said('--quiet-seconds', 'soon')).toEqual([
    2,
    expect.stringContaining('"soon" is not a valid value for --quiet-seconds'),
  ])
  expect(await said('--quiet-seconds', '0')).toEqual([
    2,
    expect.stringContaining('"0" is not a valid value for --quiet-seconds'),
  ])
  await repo.entire(['disable'])
  expect(await said()).toEqual([0, 'Entire is disabled. Run `entire enable` to re-enable.'])
  rmSync(join(repo.root, '.entire'), { recursive: true })
  expect(await said()).toEqual([1, 'error: Entire is not set up in this repository.'])
})

test('the examples of the manual work', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  const shown = examples.filter(([command]) => command === 'entire watch')
  expect(shown.length).toBeGreaterThan(3)
  for (const [, line] of shown) {
    const child = Bun.spawn([binary, ...(wordsOf(line) ?? [])], {
      cwd: repo.root,
      env: repo.env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const reader = child.stdout.getReader()
    const first = await reader.read()
    child.kill('SIGINT')
    expect({ line, said: new TextDecoder().decode(first.value), code: await child.exited }).toEqual({
      line,
      said: expect.stringMatching(/watching/i),
      code: 0,
    })
  }
})
