// Tests that bad input, or hostile data in the repository, gives an answer or a clear error without control
// characters.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ForeignRepo } from '../support/foreign-repo.ts'
import { checkpoints, evil, hostileRepo, sessions } from '../support/hostile-repo.ts'
import { binary } from '../support/recorded-repo.ts'
import { rotatingRows, rotationTitle } from '../support/rotation.ts'
import { keys, openTerminal, underControl } from '../support/terminal.ts'
import { readUserState } from '../support/user-state.ts'

setDefaultTimeout(120_000)

// Shared by all tests: no test may change it.
let repo: ForeignRepo
beforeAll(async () => {
  repo = await hostileRepo()
})
afterAll(() => repo[Symbol.asyncDispose]())

// The log may grow; nothing else.
async function everything(): Promise<string[]> {
  const own = readdirSync(repo.repo.commonDir).filter(
    (name) => name.startsWith('entire-') || name.startsWith('.'),
  )
  const states = readdirSync(join(repo.repo.commonDir, 'entire-sessions'))
  return [
    ...readUserState(repo.repo).filter((line) => !line.includes('/entire-logs/')),
    // Sorted: replacing a file changes its place in the directory, which is not a change.
    ...own.sort(),
    ...states.sort(),
    await repo.git('for-each-ref'),
  ]
}

const words: Record<string, string> = {
  nothing: '',
  blank: ' ',
  'an unknown id': 'ffffffffffff',
  'an unknown word': 'no-such-thing',
  'an option': '--upload-pack=touch evil',
  'a short option': '-x',
  'a way up': '../../etc/passwd',
  'a way to another file': '../entire-live',
  'a line break': 'a\nb',
  'control characters': evil('x'),
  'a pattern': '*',
  'a range': 'HEAD..HEAD~1',
  'a path in a commit': 'HEAD:.gitignore',
  'a search': ':/no such subject',
  'a very long word': 'f'.repeat(5000),
  'not a letter': '\ufffd\u0301🐷',
}

// How each command takes a name, and the words that are valid for it.
const takesName: Record<string, { args: (word: string) => string[]; except?: string[] }> = {
  'explain -c': { args: (word) => ['explain', '-c', word] },
  'explain --checkpoint=': { args: (word) => ['explain', `--checkpoint=${word}`] },
  'explain -c --raw-transcript': { args: (word) => ['explain', '-c', word, '--raw-transcript'] },
  'explain --commit': { args: (word) => ['explain', '--commit', word] },
  'explain --commit=': { args: (word) => ['explain', `--commit=${word}`] },
  'explain --commit= --json': { args: (word) => ['explain', `--commit=${word}`, '--json'] },
  explain: { args: (word) => ['explain', word] },
  'explain --': { args: (word) => ['explain', '--', word] },
  'rewind --to': { args: (word) => ['rewind', '--to', word] },
  'rewind --to= --reset': { args: (word) => ['rewind', `--to=${word}`, '--reset'] },
  'rewind --to= --logs-only': { args: (word) => ['rewind', `--to=${word}`, '--logs-only'] },
  'rewind --to= --dry-run --json': { args: (word) => ['rewind', `--to=${word}`, '--dry-run', '--json'] },
  resume: { args: (word) => ['resume', word] },
  'resume --force --': { args: (word) => ['resume', '--force', '--', word] },
  'session info': { args: (word) => ['session', 'info', word] },
  'session info --transcript --': { args: (word) => ['session', 'info', '--transcript', '--', word] },
  'session info --json --': { args: (word) => ['session', 'info', '--json', '--', word] },
  'session stop': { args: (word) => ['session', 'stop', '--force', word] },
  'session stop --': { args: (word) => ['session', 'stop', '--force', '--', word] },
  'session tokens --': { args: (word) => ['session', 'tokens', '--', word] },
  'session attach --': { args: (word) => ['session', 'attach', '--force', '--', word] },
  'session resume --': { args: (word) => ['session', 'resume', '--force', '--', word] },
  'reset --session': { args: (word) => ['reset', '--force', '--session', word] },
  'reset --session=': { args: (word) => ['reset', '--force', `--session=${word}`] },
  'clean --session': { args: (word) => ['clean', '--force', '--session', word] },
  'clean --session=': { args: (word) => ['clean', '--force', `--session=${word}`] },
  'agent add': { args: (word) => ['agent', 'add', word] },
  'agent add --': { args: (word) => ['agent', 'add', '--', word] },
  'agent remove --': { args: (word) => ['agent', 'remove', '--', word] },
  'enable --agent': { args: (word) => ['enable', '--agent', word] },
  'enable --agent=': { args: (word) => ['enable', `--agent=${word}`] },
  'enable --strategy=': { args: (word) => ['enable', '--agent', 'claude-code', `--strategy=${word}`] },
  'enable --checkpoint-remote=': {
    args: (word) => ['enable', '--agent', 'claude-code', `--checkpoint-remote=${word}`],
  },
  configure: { args: (word) => ['configure', '--', word] },
  'configure key': { args: (word) => ['configure', '--local', '--', word, 'true'] },
  'configure value': { args: (word) => ['configure', '--local', '--', 'strategy', word] },
  'doctor check': { args: (word) => ['doctor', 'check', '--', word] },
  'doctor trace': { args: (word) => ['doctor', 'trace', '--', word] },
  'doctor logs': { args: (word) => ['doctor', 'logs', '--', word] },
  completion: { args: (word) => ['completion', word], except: ['nothing'] },
  status: { args: (word) => ['status', '--', word] },
  disable: { args: (word) => ['disable', '--', word] },
  version: { args: (word) => ['version', '--', word] },
  'an unknown flag': { args: (word) => ['status', `--${word}`], except: ['nothing'] },
  'an unknown command': { args: (word) => [word], except: ['nothing', 'an option', 'a short option'] },
}

// All control characters except line breaks.
const controlCharacter = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

function findFault({ code, out, err }: { code: number; out: string; err: string }): string | undefined {
  if (code !== 1 && code !== 2) return `exit code ${code}: ${out.slice(0, 200)}${err.slice(0, 200)}`
  if (/bug in entire|\n\s+at /.test(err)) return `a bug: ${err.slice(0, 300)}`
  if (!err.startsWith('error: ')) return `no error on stderr: ${JSON.stringify(err.slice(0, 200))}`
  // Some messages of the reference program end with the valid choices instead.
  if (!/\nhint: \S|\nUsage: \S|\(use \S/.test(err)) return `no hint: ${JSON.stringify(err.slice(0, 200))}`
  if (out !== '') return `an answer: ${JSON.stringify(out.slice(0, 200))}`
  const match = controlCharacter.exec(out + err)
  return match === null
    ? undefined
    : `control character ${JSON.stringify(match[0])}: ${JSON.stringify(err.slice(0, 200))}`
}

const commands = Object.keys(takesName)

test.each(Object.entries(takesName))(
  `%s: an invalid name (${rotationTitle})`,
  async (command, { args, except = [] }) => {
    const faults: Record<string, string> = {}
    const before = await everything()
    for (const [name, word] of rotatingRows(Object.entries(words), commands.indexOf(command))) {
      if (except.includes(name)) continue
      const fault = findFault(await repo.entire(args(word)))
      if (fault !== undefined) faults[name] = fault
    }
    expect(faults).toEqual({})
    expect(await everything()).toEqual(before)
  },
)

const ambiguous: Record<string, string[]> = {
  'a checkpoint': ['explain', '-c', 'a3b2'],
  'a session to look at': ['session', 'info', 'plain'],
  'a session to stop': ['session', 'stop', '--force', 'plain'],
  'a session to reset': ['reset', '--force', '--session', 'plain'],
  'a session to remove': ['clean', '--force', '--session', 'plain'],
}

test.each(Object.entries(ambiguous))(
  'the beginning of several names is ambiguous: %s',
  async (_what, args) => {
    const before = await everything()
    const answer = await repo.entire(args)
    expect(findFault(answer)).toBeUndefined()
    expect(answer.err).toMatch(/ambiguous|several|matches \d/i)
    expect(await everything()).toEqual(before)
  },
)

const broken: Record<string, string[]> = {
  'metadata that is garbage': ['explain', '-c', checkpoints.garbage],
  'a transcript that is lost': ['explain', '-c', checkpoints.lost, '--raw-transcript'],
  'a checkpoint that is stored nowhere': ['explain', '-c', checkpoints.nowhere],
}

test.each(Object.entries(broken))('%s: an error that says so', async (_what, args) => {
  const before = await everything()
  expect(findFault(await repo.entire(args))).toBeUndefined()
  expect(await everything()).toEqual(before)
})

const looks: Record<string, string[]> = {
  status: ['status'],
  'status --detailed': ['status', '--detailed'],
  'status --json': ['status', '--json'],
  explain: ['explain', '--no-pager'],
  'explain --search-all': ['explain', '--search-all', '--no-pager'],
  'explain --json': ['explain', '--json'],
  'explain --session': ['explain', '--session', 'evil', '--no-pager'],
  'explain a hostile checkpoint': ['explain', '-c', checkpoints.hostile, '--no-pager'],
  'explain a hostile checkpoint in full': ['explain', '-c', checkpoints.hostile, '--full', '--no-pager'],
  'explain a hostile checkpoint as JSON': ['explain', '-c', checkpoints.hostile, '--json'],
  'explain a checkpoint that is half lost': ['explain', '-c', checkpoints.lost, '--short', '--no-pager'],
  'explain a checkpoint of an unknown agent': ['explain', '-c', checkpoints.foreign, '--no-pager'],
  'explain a hostile commit': ['explain', '--commit', 'HEAD', '--no-pager'],
  'rewind --list': ['rewind', '--list'],
  'session list': ['session', 'list'],
  'session list --all': ['session', 'list', '--all'],
  'session list --json': ['session', 'list', '--json'],
  'session info': ['session', 'info', sessions.one],
  'session info of a hostile id': ['session', 'info', sessions.evil],
  'session info --json': ['session', 'info', sessions.evil, '--json'],
  'session current': ['session', 'current'],
  'session tokens': ['session', 'tokens', sessions.two],
  'clean --dry-run': ['clean', '--dry-run'],
  'clean --dry-run --all': ['clean', '--dry-run', '--all'],
  'agent list': ['agent', 'list'],
  'configure --list': ['configure', '--list'],
  'doctor check': ['doctor', 'check'],
  'doctor logs': ['doctor', 'logs'],
  'doctor trace': ['doctor', 'trace'],
  'completion of sessions': ['completion', 'complete', '--', 'session', 'info', ''],
  'completion of checkpoints': ['completion', 'complete', '--', 'explain', '--checkpoint', ''],
  'completion of branches': ['completion', 'complete', '--', 'resume', ''],
}

test.each(Object.entries(looks))('%s shows hostile data without control characters', async (_what, args) => {
  const before = await everything()
  const { code, out, err } = await repo.entire(args)
  expect(err).not.toMatch(/bug in entire|\n\s+at /)
  const isJson = args.includes('--json') || args.includes('--list')
  // JSON may contain characters that only a terminal would interpret. The completion scripts need tabs.
  const shown = args[0] === 'completion' ? out.replaceAll('\t', ' ') + err : out + err
  const found = (isJson ? /[\x00-\x09\x0b-\x1f]/ : controlCharacter).exec(shown)
  expect(
    found && { found: found[0], near: shown.slice(Math.max(0, found.index - 80), found.index + 20) },
  ).toBeNull()
  // A command that finds something to fix says so.
  expect({ code, err }).toMatchObject({ code: args[0] === 'doctor' && args[1] === 'check' ? 1 : 0 })
  if (isJson && code === 0 && !args.includes('configure')) expect(() => JSON.parse(out)).not.toThrow()
  expect(await everything()).toEqual(before)
})

const menus: Record<string, { args: string[]; sees: RegExp; env?: Record<string, string> }> = {
  rewind: { args: ['rewind'], sees: /step/ },
  'rewind in plain lines': { args: ['rewind'], sees: /step/, env: { ACCESSIBLE: '1' } },
  'session stop': { args: ['session', 'stop'], sees: /plain-one/ },
  'session stop of one': { args: ['session', 'stop', '--', sessions.evil], sees: /evil/ },
  reset: { args: ['reset', '--session', sessions.evil], sees: /evil/ },
  'clean of one': { args: ['clean', '--session', sessions.evil], sees: /evil/ },
  doctor: { args: ['doctor'], sees: /plain-one/ },
  status: { args: ['status'], sees: /plain-o/ },
  explain: { args: ['explain', '-c', checkpoints.hostile, '--no-pager'], sees: /Intent/ },
}

test.each(Object.entries(menus))(
  '%s: a question on a terminal contains no control characters from hostile data',
  async (_what, { args, sees, env }) => {
    const before = await everything()
    await using terminal = openTerminal([...underControl, binary, ...args], {
      cwd: repo.root,
      env: { ...repo.env, TERM: 'xterm-256color', ...env },
    })
    await terminal.sees(sees)
    await terminal.press(keys.interrupt)
    await terminal.exited()
    expect(terminal.raw()).not.toMatch(/\x1b\]0;|owned|\u009b|\u202e|\x1b\[2J|\x07|\x7f/)
    expect(await everything()).toEqual(before)
  },
)

test('outside a repository every command says so', async () => {
  const faults: Record<string, string> = {}
  const commands = [
    'enable',
    'disable',
    'configure --list',
    'agent add gemini',
    'session list',
    'session info x',
    'session current',
    'session stop x',
    'explain',
    'rewind --list',
    'resume main',
    'reset --force',
    'clean --force',
    'doctor check',
  ]
  for (const command of commands) {
    const { code, out, err } = await repo.entire(command.split(' '), { cwd: repo.base })
    if (code !== 1 || !/^error: Not a git repository/i.test(err) || out !== '')
      faults[command] = `${code} ${out}${err}`
  }
  expect(faults).toEqual({})
})
