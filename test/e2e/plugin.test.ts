// Tests command plugins: programs called entire-<name> on the PATH.
import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { binary } from '../support/recorded-repo.ts'
import { type TempDir, type TempRepo, tempDir, tempRepo } from '../support/repo.ts'
import { keys, openTerminal, underControl } from '../support/terminal.ts'

function putPlugin(place: TempDir, name: string, script: string, dir = 'plugins'): string {
  const folder = join(place.base, dir)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const path = join(folder, `entire-${name}`)
  writeFileSync(path, script.startsWith('#!') ? script : `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}
const onPath = (place: TempDir, ...dirs: string[]) => ({
  ...place.env,
  PATH: [...(dirs.length > 0 ? dirs : [join(place.base, 'plugins')]), place.env.PATH].join(delimiter),
})

async function run(repo: TempRepo, args: string[], options: { env?: TempDir['env']; stdin?: string } = {}) {
  const { code, stdout, stderr } = await repo.run([binary, ...args], { env: onPath(repo), ...options })
  return { code, out: stdout.toString('utf8'), err: stderr }
}

test('arguments, streams and exit code are passed through, and the plugin gets the root of the repository', async () => {
  await using repo = await tempRepo()
  putPlugin(repo, 'greet', 'cat; printf "%s|" "$@"; echo "$ENTIRE_CLI $ENTIRE_REPO_ROOT" >&2; exit 7')
  expect(await run(repo, ['greet', 'a b', '--flag', ''], { stdin: 'hello\n' })).toEqual({
    code: 7,
    out: 'hello\na b|--flag||',
    err: `${binary} ${repo.root}\n`,
  })
  expect((await run(repo, ['help', 'greet'])).out).toBe('--help|')
})

test('outside of a repository there is no root', async () => {
  await using dir = tempDir()
  putPlugin(dir, 'root', 'echo "<$ENTIRE_REPO_ROOT>"')
  const child = Bun.spawn([binary, 'root'], { cwd: dir.base, env: onPath(dir), stdout: 'pipe' })
  expect(await child.stdout.text()).toBe('<>\n')
})

test('a plugin that a signal ended gives 128 plus the number of the signal', async () => {
  await using repo = await tempRepo()
  putPlugin(repo, 'dies', 'kill -TERM $$')
  expect((await run(repo, ['dies'])).code).toBe(143)
})

test('built-in commands take precedence', async () => {
  await using repo = await tempRepo()
  putPlugin(repo, 'status', 'echo mine')
  expect((await run(repo, ['status'])).out).toBe('○ not set up (run `entire enable` to get started)\n')
  expect((await run(repo, ['--help'])).out).not.toContain('entire-status')
})

test('help lists plugins except external agents, and a mistyped name suggests them', async () => {
  await using repo = await tempRepo()
  const path = putPlugin(repo, 'deploy', '')
  putPlugin(repo, 'agent-mine', '')
  const { out } = await run(repo, ['--help'])
  expect(out).toContain(`COMMANDS FROM THE PATH\n  deploy  ${path}\n`)
  expect(await run(repo, ['deplyo'])).toEqual({
    code: 2,
    out: '',
    err: 'error: Unknown command "deplyo"\nhint: Did you mean `deploy`? Run `entire --help` for usage.\n',
  })
})

test('a program that other users could have put there is not run, with a note', async () => {
  await using repo = await tempRepo()
  const said = async (dir: string, problem: string) => {
    const answer = await run(repo, ['sly'], { env: onPath(repo, dir) })
    expect(answer).toMatchObject({ code: 2, out: '' })
    expect(answer.err).toStartWith(`[entire] Skipped ${join(dir, 'entire-sly')}: ${problem}.\n`)
  }
  const open = putPlugin(repo, 'sly', 'echo ran', 'open')
  chmodSync(open, 0o757)
  await said(join(repo.base, 'open'), 'any user can write to it')
  chmodSync(open, 0o755)
  chmodSync(join(repo.base, 'open'), 0o777)
  await said(join(repo.base, 'open'), 'any user can write to its directory')

  // A link in a safe directory leads to the same file.
  mkdirSync(join(repo.base, 'links'))
  symlinkSync(open, join(repo.base, 'links', 'entire-sly'))
  await said(join(repo.base, 'links'), 'any user can write to its directory')

  repo.write('bin/entire-sly', '#!/bin/sh\necho ran\n', 0o755)
  await said(join(repo.root, 'bin'), 'it is in the work tree')

  // A trusted program further down the PATH is run.
  putPlugin(repo, 'sly', 'echo ran', 'safe')
  expect(
    await run(repo, ['sly'], { env: onPath(repo, join(repo.root, 'bin'), join(repo.base, 'safe')) }),
  ).toMatchObject({
    code: 0,
    out: 'ran\n',
    err: expect.stringContaining('it is in the work tree'),
  })
})

test('relative entries of the PATH, directories and files that are not executable are ignored', async () => {
  await using repo = await tempRepo()
  repo.write('bin/entire-near', '#!/bin/sh\necho ran\n', 0o755)
  mkdirSync(join(repo.base, 'plugins', 'entire-dir'), { recursive: true })
  writeFileSync(join(repo.base, 'plugins', 'entire-text'), 'text')
  for (const name of ['near', 'dir', 'text', '../plugins/entire-x', '.', '']) {
    const answer = await run(repo, [name], {
      env: {
        ...repo.env,
        PATH: `bin${delimiter}.${delimiter}${join(repo.base, 'plugins')}${delimiter}${repo.env.PATH}`,
      },
    })
    expect({ name, code: answer.code, out: answer.out }).toEqual({ name, code: 2, out: '' })
  }
})

test('a plugin that the system cannot run gives an error, not a crash', async () => {
  await using repo = await tempRepo()
  putPlugin(repo, 'garbage', '#!/no/such/interpreter\n')
  expect(await run(repo, ['garbage'])).toMatchObject({
    code: 126,
    out: '',
    err: expect.stringContaining('cannot be run'),
  })
})

test('Ctrl-C goes to the plugin', async () => {
  await using repo = await tempRepo()
  putPlugin(repo, 'waits', 'trap "echo caught; exit 42" INT\necho ready\nwhile :; do sleep 0.05; done')
  await using terminal = openTerminal([...underControl, binary, 'waits'], {
    cwd: repo.root,
    env: onPath(repo),
  })
  await terminal.sees('ready')
  await terminal.press(keys.interrupt)
  await terminal.sees('caught')
  expect(await terminal.exited()).toBe(42)
  expect(terminal.text().match(/caught/g)).toHaveLength(1)
})

test.each([
  ['SIGINT', 'INT'],
  ['SIGTERM', 'TERM'],
] as const)('without a terminal %s is passed on', async (signal, name) => {
  await using repo = await tempRepo()
  putPlugin(repo, 'waits', `trap "echo caught; exit 42" ${name}\necho ready\nwhile :; do sleep 0.05; done`)
  const child = Bun.spawn([binary, 'waits'], {
    cwd: repo.root,
    env: onPath(repo),
    stdin: 'ignore',
    stdout: 'pipe',
  })
  const output = child.stdout.getReader()
  const first = await output.read()
  expect(new TextDecoder().decode(first.value)).toBe('ready\n')
  child.kill(signal)
  expect(await child.exited).toBe(42)
})
