import { expect, test } from 'bun:test'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordedRepo } from '../support/recorded-repo.ts'
import { scriptedAider } from '../support/scripted-aider.ts'
import { until } from '../support/until.ts'
import { startWatching } from '../support/watching.ts'

/** Formats a time as in session ids. */
function now(): string {
  const date = new Date()
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
}

test('a turn of aider becomes a step, and a manual commit gets the checkpoint of its session', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.type('/add greet.txt')
  aider.type('greet in French\nand be polite')
  await watch.hears('turn-start')
  expect(repo.state(aider.session())).toMatchObject({ phase: 'active', agent_type: 'Aider' })
  aider.answer("I'll change the greeting.")
  aider.edit({ 'greet.txt': 'Bonjour\n', 'docs/bye now.txt': 'Au revoir\n' })
  const [ended] = await watch.hears('turn-end')
  expect(ended).toMatchObject({
    agent: 'aider',
    session: aider.session(),
    saved: true,
    files: ['greet.txt', 'docs/bye now.txt'],
  })
  expect(await repo.shadows()).toHaveLength(1)
  const [shadow] = await repo.shadows()
  expect(await repo.paths(shadow!)).not.toContain('.aider.chat.history.md')

  await repo.commitAs('human', 'feat: greet in French', 'greet.txt', 'docs')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Aider',
    session_id: aider.session(),
    model: 'gpt-5',
    files_touched: ['docs/bye now.txt', 'greet.txt'],
    token_usage: { input_tokens: 2300, output_tokens: 95, api_call_count: 1 },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toContain('greet in French\nand be polite')
  expect(await repo.stored(id, '0/prompt.txt')).not.toContain('/add')
  expect(await repo.transcript(id)).toStartWith('# aider chat started at ')
  expect(await watch.stop()).toBe(0)
  expect(watch.told().at(-1)).toMatchObject({ event: 'stopped' })
  expect(watch.told().filter(({ event }) => event === 'failed')).toEqual([])
})

test('automatic commits of aider are linked while it works, and completed at the next prompt', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo, [], { quiet: 600 })
  const aider = scriptedAider(repo)
  aider.start()
  aider.type('greet in French')
  await watch.hears('turn-start')
  aider.answer('Here.')
  aider.edit({ 'greet.txt': 'Bonjour\n' })
  await aider.commit('feat: greet in French')
  const id = await repo.checkpointOf()
  aider.type('and wave')
  await watch.hears('turn-end')
  expect(await repo.storedSession(id)).toMatchObject({
    files_touched: ['greet.txt'],
    token_usage: { input_tokens: 2300 },
  })
  expect(await repo.transcript(id)).toContain('> Commit ')
  expect(await repo.transcript(id)).not.toContain('and wave')
  aider.answer('Here.')
  aider.edit({ 'wave.txt': 'wave\n' })
  await watch.stop()
  await repo.commitAs('human', 'wave', 'wave.txt')
  const second = await repo.checkpointOf()
  expect(await repo.storedSession(second)).toMatchObject({
    files_touched: ['wave.txt'],
    token_usage: { input_tokens: 2300 },
  })
  expect((await repo.stored(second, '0/prompt.txt')).trim()).toBe('and wave')
})

test('a commit after a pause that was mistaken for the end of the turn is linked, with and without git hooks', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('one', { 'one.txt': '1\n' })
  await watch.hears('turn-end')
  await aider.commit('one')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['one.txt'] })
  aider.turn('two', { 'two.txt': '2\n' })
  await watch.hears('turn-end', 2)
  await aider.commit('two', { hooks: false })
  await watch.hears('commit', 2)
  const id = /Entire-Checkpoint: (\S+)/.exec(
    await repo.git('notes', '--ref=entire-checkpoints', 'show', 'HEAD'),
  )?.[1]
  expect(await repo.storedSession(id!)).toMatchObject({ files_touched: ['two.txt'] })
  expect((await repo.stored(id!, '0/prompt.txt')).trim()).toBe('two')
})

test('commits without git hooks are linked by a note, because the chat history names them', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('greet in French', { 'greet.txt': 'Bonjour\n' })
  await watch.hears('turn-start')
  await aider.commit('feat: greet', { hooks: false })
  await watch.hears('commit')
  await watch.hears('turn-end')
  expect(await repo.checkpointsOf()).toEqual([])
  const id = /Entire-Checkpoint: (\S+)/.exec(
    await repo.git('notes', '--ref=entire-checkpoints', 'show', 'HEAD'),
  )?.[1]
  expect(await repo.storedSession(id!)).toMatchObject({
    files_touched: ['greet.txt'],
    token_usage: { input_tokens: 2300 },
  })
  expect((await repo.entire(['explain', '--commit', 'HEAD'])).out).toContain('greet in French')
})

test('one watcher links ten commits of several sessions, and each checkpoint holds its own turn only', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  const rounds = Array.from({ length: 10 }, (_, index) => index + 1)
  const sessions: string[] = []
  for (const round of rounds) {
    if (round % 2 === 1) aider.start({ later: round })
    sessions.push(aider.session())
    aider.turn(`write number ${round}`, { [`${round}.txt`]: `${round}\n` })
    await aider.commit(`number ${round}`, { hooks: false })
    await watch.hears('commit', round)
  }
  expect(await watch.stop()).toBe(0)
  const commits = (await repo.git('rev-list', '--reverse', '-10', 'HEAD')).split('\n')
  for (const [index, commit] of commits.entries()) {
    const note = await repo.git('notes', '--ref=entire-checkpoints', 'show', commit)
    const id = /Entire-Checkpoint: (\S+)/.exec(note)?.[1] as string
    const head = JSON.parse(await repo.stored(id, 'metadata.json')) as Record<string, unknown>
    expect(head).toMatchObject({ files_touched: [`${index + 1}.txt`] })
    expect(head.sessions).toEqual([expect.objectContaining({ metadata: expect.stringContaining('/0/') })])
    expect(await repo.storedSession(id)).toMatchObject({ session_id: sessions[index], checkpoint_id: id })
    expect((await repo.stored(id, '0/prompt.txt')).trim()).toBe(`write number ${index + 1}`)
  }
  expect(watch.told().filter(({ event }) => event === 'failed')).toEqual([])
  expect((await repo.entire(['doctor'])).out).toContain('No problems')
}, 30_000)

test('a chat-only turn counts once, in the next checkpoint', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.type('/ask what does this do?')
  aider.answer('It greets.', '1.0k sent, 10 received')
  await watch.hears('turn-end')
  const ids: string[] = []
  for (const round of [1, 2]) {
    aider.turn(`write ${round}`, { [`${round}.txt`]: `${round}\n` })
    await watch.hears('turn-end', round + 1)
    await repo.commitAs('human', `number ${round}`, `${round}.txt`)
    ids.push(await repo.checkpointOf())
  }
  const spent = await Promise.all(ids.map(async (id) => (await repo.storedSession(id)).token_usage))
  expect(spent).toMatchObject([
    { input_tokens: 3300, output_tokens: 105, api_call_count: 2 },
    { input_tokens: 2300, output_tokens: 95, api_call_count: 1 },
  ])
})

test('what was dirty before the turn, and is committed by aider, is the work of the person', async () => {
  await using repo = await recordedRepo({ agent: 'aider', isCommitted: true })
  await using watch = await startWatching(repo, [], { quiet: 600 })
  const aider = scriptedAider(repo)
  repo.write('mine.txt', 'one\ntwo\nthree\n')
  aider.start()
  aider.type('add a farewell')
  await watch.hears('turn-start')
  aider.answer('Here.')
  aider.edit({ 'mine.txt': 'one\ntwo\nthree\nfarewell\n' })
  await aider.commit('feat: farewell')
  // What is older than the first prompt counts for nobody.
  const { initial_attribution: counted } = await repo.storedSession(await repo.checkpointOf())
  expect(counted).toMatchObject({ agent_lines: 1, agent_percentage: 100, total_committed: 1 })

  // Aider commits what is dirty before its own edits.
  repo.write('notes.txt', 'a note of mine\n')
  aider.type('wave')
  await watch.hears('turn-start', 2)
  await repo.git('add', 'notes.txt')
  await repo.gitAs('agent', ['commit', '--quiet', '--no-verify', '-m', 'chore: notes'])
  const own = await repo.checkpointsOf()
  const parts = await Promise.all(own.map(async (id) => (await repo.storedSession(id)).initial_attribution))
  for (const part of parts) expect(part).toMatchObject({ agent_lines: 0, agent_percentage: 0 })
})

test('a session that is older than the watcher brings nothing old in', async () => {
  await using repo = await recordedRepo({ agent: 'aider', isCommitted: true })
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('long ago', { 'old.txt': 'old\n' })
  await using watch = await startWatching(repo)
  aider.type('now')
  await watch.hears('turn-start')
  aider.answer('Here.')
  aider.edit({ 'new.txt': 'new\n' })
  await watch.hears('turn-end')
  await repo.commitAs('human', 'new', 'new.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    files_touched: ['new.txt'],
    token_usage: { input_tokens: 2300, api_call_count: 1 },
    initial_attribution: { agent_lines: 1, total_committed: 1 },
  })
  expect((await repo.stored(id, '0/prompt.txt')).trim()).toBe('now')
  expect((await repo.entire(['explain', id, '--no-pager'])).out).not.toContain('long ago')
  await repo.commitAs('human', 'old', 'old.txt')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('turns and commits made while nothing was watching are recorded at the next start, one by one', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  const aider = scriptedAider(repo)
  await using first = await startWatching(repo)
  aider.start()
  aider.turn('one', { 'one.txt': '1\n' })
  await first.hears('turn-end')
  await repo.commitAs('human', 'one', 'one.txt')
  await first.stop()

  aider.turn('two', { 'two.txt': '2\n' })
  await aider.commit('two')
  aider.type('/tokens')
  aider.turn('three', { 'three.txt': '3\n' })
  const hash = await aider.commit('three')
  aider.turn('four', { 'four.txt': '4\n' })

  await using second = await startWatching(repo)
  const starts = await second.hears('turn-start', 3)
  expect(starts.map(({ prompt }) => prompt)).toEqual(['two', 'three', 'four'])
  await second.hears('turn-end', 3)
  const noted = async (rev: string) =>
    /Entire-Checkpoint: (\S+)/.exec(
      await repo.git('notes', '--ref=entire-checkpoints', 'show', rev),
    )?.[1] as string
  const [two, three] = [await noted('HEAD~1'), await noted(hash)]
  expect(await repo.storedSession(two)).toMatchObject({
    files_touched: ['two.txt'],
    token_usage: { input_tokens: 2300 },
    initial_attribution: { agent_lines: 1 },
  })
  expect((await repo.stored(two, '0/prompt.txt')).trim()).toBe('two')
  expect(await repo.transcript(two)).not.toContain('three')
  expect(await repo.storedSession(three)).toMatchObject({
    files_touched: ['three.txt'],
    token_usage: { input_tokens: 2300 },
    initial_attribution: { agent_lines: 1 },
  })
  expect((await repo.stored(three, '0/prompt.txt')).trim()).toBe('three')
  await repo.commitAs('human', 'four', 'four.txt')
  const four = await repo.checkpointOf()
  expect(await repo.storedSession(four)).toMatchObject({
    files_touched: ['four.txt'],
    token_usage: { input_tokens: 2300 },
    initial_attribution: { agent_lines: 1 },
  })
  expect(repo.state(aider.session())).toMatchObject({ session_turn_count: 4 })
})

test('paths are relative to the work tree, and two aiders in one work tree are told', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo, [], { quiet: 600 })
  expect(watch.told()[0]).toMatchObject({ event: 'watching', places: ['.'] })
  const [one, other] = [scriptedAider(repo), scriptedAider(repo)]
  one.start()
  one.type('first')
  await watch.hears('turn-start')
  other.start({ later: 2 })
  expect(await watch.hears('two-at-once')).toMatchObject([{ agent: 'aider', session: one.session() }])
  other.type('second')
  other.answer('Here.')
  other.report(`Applied edit to ${join(repo.root, 'sub/a.txt')}`)
  repo.write('sub/a.txt', 'a\n')
  await watch.stop()
  const files = watch.told().flatMap(({ event, files: named }) => (event === 'turn-end' ? [named] : []))
  expect(files.at(-1)).toEqual(['sub/a.txt'])
})

test('a commit below aider is the commit of aider, also at its terminal', async () => {
  await using repo = await recordedRepo({ agent: 'aider', isCommitted: true })
  await using watch = await startWatching(repo, [], { quiet: 600 })
  const aider = scriptedAider(repo)
  aider.start()
  aider.type('run the generator')
  await watch.hears('turn-start')
  repo.write('.git/commit.sh', 'git commit --quiet --no-verify -m "$1"\n')
  for (const [program, links] of [
    ['editor', 0],
    ['aider', 1],
  ] as const) {
    await Bun.write(join(repo.base, program), '#!/bin/sh\nsh .git/commit.sh "$1"\n')
    chmodSync(join(repo.base, program), 0o755)
    // Made by a command: the history does not name the file.
    repo.write(`${program}.txt`, 'made by a command\n')
    await repo.git('add', `${program}.txt`)
    const env = { ...repo.env, ENTIRE_TEST_TTY: '1' }
    expect((await repo.run([join(repo.base, program), program], { env })).code).toBe(0)
    expect(await repo.checkpointsOf()).toHaveLength(links)
  }
})

test('turns before the first watch are not recorded; a running turn is, with its prompt', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('long ago', { 'old.txt': 'old\n' })
  aider.type('still at it')
  await using watch = await startWatching(repo)
  aider.answer('Here.')
  aider.edit({ 'new.txt': 'new\n' })
  const [started] = await watch.hears('turn-start')
  expect(started).toMatchObject({ prompt: 'still at it' })
  await watch.hears('turn-end')
  expect(repo.state(aider.session())).toMatchObject({ session_turn_count: 1 })
  expect(repo.state(aider.session()).files_touched).toContain('new.txt')
})

test('a new start of aider ends the previous session', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('one', { 'one.txt': '1\n' })
  await watch.hears('turn-start')
  const before = aider.session()
  await until(
    () => !before.endsWith(now()),
    () => 'the clock stands still',
  )
  aider.start({ model: 'o3' })
  aider.turn('two', { 'two.txt': '2\n' })
  await watch.hears('turn-end', 2)
  expect(repo.state(before)).toMatchObject({ phase: 'ended' })
  expect(repo.state(aider.session())).toMatchObject({ phase: 'idle', files_touched: ['two.txt'] })
  await repo.commitAs('human', 'both', 'one.txt', 'two.txt')
  const id = await repo.checkpointOf()
  const sessions = [await repo.storedSession(id, 0), await repo.storedSession(id, 1)]
  expect(sessions.map(({ session_id: session, model }) => [session, model]).toSorted()).toEqual(
    [
      [before, 'gpt-5'],
      [aider.session(), 'o3'],
    ].toSorted(),
  )
  for (const slot of [0, 1])
    expect((await repo.transcript(id, slot)).match(/chat started at/g)).toHaveLength(1)
})

test('a chat history elsewhere is found by the option, variable or configuration of aider', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  const ways: [args: string[], prepare: (path: string) => void][] = [
    [['--chat-history-file', join(repo.base, 'a.md')], () => {}],
    [
      [],
      () =>
        repo.write('.aider.conf.yml', `# mine\nchat-history-file: "${join(repo.base, 'b.md')}" # there\n`),
    ],
  ]
  for (const [index, [args, prepare]] of ways.entries()) {
    const history = join(repo.base, `${'ab'[index]}.md`)
    prepare(history)
    await using watch = await startWatching(repo, args)
    const aider = scriptedAider(repo, { history })
    aider.start()
    aider.turn(`way ${index}`, { [`way-${index}.txt`]: 'way\n' })
    await watch.hears('turn-end')
    expect(repo.state(aider.session())).toMatchObject({
      transcript_path: history,
      files_touched: [`way-${index}.txt`],
    })
    await watch.stop()
  }
})

test('a session of aider is explained, and resumed on another machine without changing its chat history', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('greet in French', { 'greet.txt': 'Bonjour\n' })
  await watch.hears('turn-end')
  await repo.commitAs('human', 'greet', 'greet.txt')
  await watch.stop()
  const explained = await repo.entire(['explain', '--commit', 'HEAD', '--full'])
  expect(explained.out).toContain('greet in French')
  expect(explained.out).toContain('Here it is.')
  expect((await repo.entire(['session', 'info', aider.session(), '--transcript'])).out).toStartWith(
    '# aider chat started at ',
  )

  const theirs = '\n# aider chat started at 2026-01-01 00:00:00\n\n> Aider v0.86.2  \n\n#### theirs  \n'
  writeFileSync(aider.history, theirs)
  rmSync(join(repo.repo.commonDir, 'entire-sessions'), { recursive: true })
  const resumed = await repo.entire(['resume', 'main', '--force'])
  expect(resumed.err).toContain('aider --restore-chat-history')
  const after = repo.read('.aider.chat.history.md')
  expect(after).toStartWith(theirs)
  expect(after).toContain('#### greet in French  \n')
  expect((await repo.entire(['resume', 'main', '--force'])).code).toBe(0)
  expect(repo.read('.aider.chat.history.md')).toBe(after)
})

test('a rewind to a step restores the files and leaves the chat history alone', async () => {
  await using repo = await recordedRepo({ agent: 'aider' })
  await using watch = await startWatching(repo)
  const aider = scriptedAider(repo)
  aider.start()
  aider.turn('one', { 'one.txt': '1\n' })
  await watch.hears('turn-end')
  aider.type('two')
  await watch.hears('turn-start', 2)
  aider.answer('Here.')
  aider.edit({ 'one.txt': '2\n', 'two.txt': '2\n' })
  await watch.hears('turn-end', 2)
  const history = repo.read('.aider.chat.history.md')
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  const point = points.find(({ message }) => message === 'One')
  const back = await repo.entire(['rewind', '--to', point!.id])
  expect(back).toMatchObject({ code: 0 })
  expect(repo.read('one.txt')).toBe('1\n')
  expect(existsSync(join(repo.root, 'two.txt'))).toBe(false)
  expect(repo.read('.aider.chat.history.md')).toBe(history)
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
  expect(repo.read('two.txt')).toBe('2\n')
})
