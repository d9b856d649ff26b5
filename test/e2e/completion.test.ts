// Tests completion with the real script in a real bash.
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { agents } from '../../src/agents/all.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { tempDir } from '../support/repo.ts'
import { keys, openTerminal, underControl } from '../support/terminal.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** What bash would offer for these words, the last of which is being typed. */
async function offered(repo: RecordedRepo, ...words: string[]): Promise<string[]> {
  const script = `source <(entire completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _entire; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { code, stdout, stderr } = await repo.run([
    'bash',
    '--norc',
    '-c',
    script,
    'bash',
    'entire',
    ...words,
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}

test('commands, subcommands, flags and their values are proposed', async () => {
  await using repo = await recordedRepo()
  const names = agents.map(({ name }) => name)
  const cases: [string[], string[]][] = [
    [['en'], ['enable']],
    [
      ['agent', ''],
      ['list', 'add', 'remove', 'check', 'new', 'try'],
    ],
    [['agents', 'a'], ['add']],
    [['enable', '--ag'], ['--agent']],
    [['enable', '--agent', ''], names],
    [['enable', '--agent', '=', 'g'], ['gemini']],
    [['enable', '--agent', '='], names],
    [['enable', '--agent', 'gemini,cl'], ['gemini,claude-code']],
    [['enable', '--strategy', 'a'], ['auto-commit']],
    [['agent', 'remove', 'g'], ['gemini']],
    [['configure', 'push'], []],
    [['configure', 'log'], ['log_level']],
    [['configure', 'log_level', 'd'], ['debug']],
    [['help', 'vers'], ['version']],
    [['--v'], ['--version']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['no-such-command', ''], []],
    [['enable', '--no-such-flag', ''], []],
  ]
  for (const [words, expected] of cases)
    expect({ words, offered: await offered(repo, ...words) }).toEqual({ words, offered: expected })
  expect(await offered(repo, '')).toEqual(expect.arrayContaining(['enable', 'status', 'rewind', 'help']))
  expect(await offered(repo, '')).not.toContain('hooks')
})

test('shells that keep --flag=value in one word get one word back', async () => {
  await using repo = await recordedRepo()
  const ask = async (...words: string[]) =>
    (await repo.entire(['completion', 'complete', '--', ...words])).out.replace(/\t.*/g, '').trim()
  expect(await ask('enable', '--agent=gem')).toBe('--agent=gemini')
  expect(await ask('enable', '--agent=gemini,claude')).toBe('--agent=gemini,claude-code')
  expect(await ask('enable', '--strategy=a')).toBe('--strategy=auto-commit')
  expect(await ask('enable', '--force=')).toBe('')
})

test('branches, sessions and checkpoints are proposed', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const checkpoint = await repo.checkpointOf()
  await repo.git('branch', 'feature/one')
  expect(await offered(repo, 'explain', '--checkpoint', '')).toEqual([checkpoint])
  expect(await offered(repo, 'explain', '-c', checkpoint.slice(0, 3))).toEqual([checkpoint])
  expect(await offered(repo, 'reset', '--session', '')).toEqual([agent.session])
  expect(await offered(repo, 'explain', '--commit', 'fea')).toEqual(['feature/one'])
  expect(await offered(repo, 'resume', 'feat')).toEqual(['feature/one'])
  expect(await offered(repo, 'resume', 'entire/')).toEqual([])
})

test('a name that is special to the shell is quoted or left out', async () => {
  await using repo = await recordedRepo()
  await repo.git('branch', 'x;touch$IFS$9owned')
  await repo.git('branch', 'x`touch$IFS$9owned`')
  const answers = await offered(repo, 'resume', 'x')
  expect(answers).toHaveLength(2)
  for (const answer of answers) {
    const { stdout } = await repo.run(['bash', '-c', `printf %s ${answer}`])
    expect((await repo.git('branch', '--format=%(refname:short)')).split('\n')).toContain(
      stdout.toString('utf8'),
    )
  }
  expect((await repo.run(['ls', 'owned'])).code).not.toBe(0)
})

test('pressing Tab shows the proposals and nothing else', async () => {
  await using repo = await recordedRepo()
  await using terminal = openTerminal([...underControl, 'bash', '--norc', '-i'], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm', PS1: '> ' },
  })
  await terminal.sees('> ')
  await terminal.press('source <(entire completion bash); echo loaded\n')
  await terminal.sees(/loaded\r?\n/)
  await terminal.press('entire vers\t')
  await terminal.sees('entire version ')
  await terminal.press('--j\t')
  await terminal.sees('--json ')
  await terminal.press(keys.enter)
  await terminal.sees('"version"')
})

test('pressing Tab never prints an error', async () => {
  await using repo = await recordedRepo()
  repo.write('.entire/settings.json', '{ broken')
  rmSync(`${repo.root}/.git/HEAD`)
  for (const words of [
    ['resume', ''],
    ['explain', '-c', 'a'],
    ['configure', 'nothing', ''],
    ['session', 'info', ''],
  ]) {
    const answer = await repo.entire(['completion', 'complete', '--', ...words])
    expect({ words, code: answer.code, err: answer.err }).toEqual({ words, code: 0, err: '' })
  }
})

test('each shell has a script that asks the program, and help that says how to install it', async () => {
  await using repo = await recordedRepo()
  for (const shell of shells) {
    const script = (await repo.entire(['completion', shell])).out
    expect(script).toMatch(/completion complete -- .*2>\/dev\/null/)
    expect(script).not.toContain('\x1b')
    expect((await repo.entire(['completion', shell, '--help'])).out).toContain(`entire completion ${shell}`)
  }
  const { zsh, fish } = {
    zsh: (await repo.entire(['completion', 'zsh'])).out,
    fish: (await repo.entire(['completion', 'fish'])).out,
  }
  // The first line lets zsh find the script in a directory of $fpath.
  expect(zsh).toStartWith('#compdef entire\n')
  expect(zsh).toContain('compdef _entire entire')
  expect(fish).toContain("complete -c entire -f -k -a '(__entire_complete)'")
  // Every block that is opened is closed.
  expect(fish.match(/^function /gm)?.length).toBe(fish.match(/^end$/gm)?.length)
})

// Only shells that are installed can load their script; the scripts of all are checked above.
test.each(shells.filter((shell) => Bun.which(shell) !== null))('%s loads its script', async (shell) => {
  await using dir = tempDir()
  await using repo = await recordedRepo()
  const path = `${dir.base}/script`
  await Bun.write(path, (await repo.entire(['completion', shell])).out)
  expect(await repo.run([shell, '-n', path])).toMatchObject({ code: 0, stderr: '' })
})
