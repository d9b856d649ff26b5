import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import { type PigletPlace, pigletPlace } from './piglet.ts'

let place: PigletPlace
beforeEach(() => {
  place = pigletPlace()
})
afterEach(() => place[Symbol.dispose]())

const run = (...args: string[]) => place.run(['ext', ...args])
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)

test('without arguments it shows help; an unknown command gets a hint and exit code 2', async () => {
  expect((await place.run([])).out).toContain('piglet ext list')
  expect(await place.run(['--version'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
  expect(await run('lst')).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean `list`') })
  expect((await place.run(['help', 'ext', 'call'])).out).toContain('piglet ext call')
})

describe('list', () => {
  test('shows extensions of the user and the project with their states, and reports invalid manifests', async () => {
    place.install('sound')
    place.install('unwanted')
    place.write(join(place.configDir, 'config.yaml'), 'disabled_extensions: [unwanted]\n')
    place.write(join(place.configDir, 'extensions/broken/manifest.yaml'), 'version: 1\n')
    place.write('.piglet/extensions/local/manifest.yaml', 'name: local\nruntime: node\nentry: x.js\n')
    const { out, err, code } = await run('list')
    expect(code).toBe(0)
    const rows = out
      .trim()
      .split('\n')
      .map((line) => line.split(/\s{2,}/).slice(0, 5))
    expect(rows).toEqual([
      ['NAME', 'VERSION', 'RUNTIME', 'STATE', 'FROM'],
      ['sound', '1.0', 'node', 'enabled', 'user'],
      ['unwanted', '1.0', 'node', 'disabled', 'user'],
      ['local', '-', 'node', 'not trusted', 'project'],
    ])
    expect(err).toContain('manifest.yaml: name is required.')
    expect(err).toContain('piglet ext trust --project')
    expect(await json('list')).toMatchObject({
      extensions: [{ name: 'sound' }, {}, {}],
      problems: [expect.stringContaining('broken')],
    })
  })

  test('explains how to create one when there are none', async () => {
    expect(await run('list')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('piglet ext new <name>'),
    })
  })
})

describe('info', () => {
  test('shows the manifest and the registrations', async () => {
    place.install('sound', '', { permissions: "['*']" })
    const { out } = await run('info', 'sound')
    expect(out).toContain('permissions  *')
    expect(out).toMatch(/Tools:\n {2}greet {2}Greets a person/)
    expect(out).toMatch(/Event handlers:\n {2}ears {2}EventTurnStart, EventTurnEnd/)
    expect((await json('info', 'sound')).offers['register/command']).toMatchObject([{ name: 'hi' }])
  })

  test('explains why one does not run, and suggests a name for an unknown one', async () => {
    place.install('sound', 'console.error("I will not"); process.exit(3)')
    expect(await run('info', 'sound')).toMatchObject({ code: 1, err: expect.stringContaining('I will not') })
    expect((await run('info', 'sound', '--no-start')).out).toContain('runs         node index.js')
    expect(await run('info', 'suond')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Did you mean sound?'),
    })
  })
})

describe('call', () => {
  test('runs a tool and prints its result', async () => {
    place.install('sound')
    expect(await run('call', 'greet', '{"who":"you"}')).toMatchObject({ code: 0, out: 'Hello you\n' })
    expect(await run('call', 'greet')).toMatchObject({ code: 1, out: 'whom?\n' })
    expect(await json('call', 'greet', '{"who":"you"}')).toMatchObject({
      content: [{ text: 'Hello you' }],
      isError: false,
    })
  })

  test('asks interceptors, and runs one extension alone on request', async () => {
    place.install('sound')
    place.install(
      'guard',
      "handlers['interceptor/before'] = () => ({ allow: false, preview: 'not now' }); registrations = registrations.slice(4, 5)",
    )
    expect((await run('call', 'greet', '{"who":"you"}')).out).toBe('not now\n')
    expect((await run('call', 'greet', '{"who":"you"}', '--ext', 'sound')).out).toBe('Hello you\n')
  })

  test('runs the extension of a directory instead of the installed one', async () => {
    place.install('sound')
    const { dir } = place.dirs.add(
      'work',
      {
        'index.js': readFileSync(join(place.configDir, 'extensions/sound/index.js'), 'utf8').replace(
          'Hello ',
          'Moin ',
        ),
      },
      { name: 'sound' },
    )
    expect((await run('call', 'greet', '{"who":"you"}', '--ext', dir)).out).toBe('Moin you\n')
  })

  test('runs the tools of piglet itself', async () => {
    place.write('a.txt', 'text\n')
    expect((await run('call', 'read', '{"path":"a.txt"}')).out).toContain('text')
  })

  test.each([
    [['nothing'], 1, 'tool not found: nothing'],
    [['greet', '{'], 2, '"{" is not a valid value for arguments'],
    [['greet', '{}', '--ext', './none'], 1, 'extension not found: ./none'],
  ])('%j is refused', async (words, code, message) => {
    expect(await run('call', ...words)).toMatchObject({ code, err: expect.stringContaining(message) })
  })

  test('an extension that cannot run does not stop the others', async () => {
    place.install('sound')
    place.install('bad', 'process.exit(1)')
    expect(await run('call', 'greet', '{"who":"you"}')).toMatchObject({
      code: 0,
      out: 'Hello you\n',
      err: expect.stringContaining('bad could not be started'),
    })
  })
})

describe('run', () => {
  test('runs a command with the text after its name, and prints what it shows', async () => {
    place.install(
      'sound',
      `handlers['command/execute'] = async ({ args }) => {
      say({ method: 'showMessage', params: { text: 'hi ' + args } })
      say({ method: 'notify', params: { message: 'careful', level: 'warn' } })
      return {}
    }`,
    )
    expect(await run('run', 'hi', 'there', 'you')).toMatchObject({
      code: 0,
      out: 'hi there you\n',
      err: 'warn: [sound] careful\n',
    })
    expect(await json('run', '/hi', 'x')).toMatchObject({
      messages: [{ text: 'hi x', extension: 'sound' }],
      notifications: [{ level: 'warn' }],
    })
  })

  test('dismisses questions without a terminal', async () => {
    place.install(
      'sound',
      `handlers['command/execute'] = async () => {
      const { selected, cancelled } = await ask('host/askUser', { prompt: 'Sure?', choices: ['yes'] })
      say({ method: 'showMessage', params: { text: JSON.stringify({ selected, cancelled }) } })
      return {}
    }
    { const before = take; take = (line) => { const { id, method, result } = JSON.parse(line); if (method === undefined) pending.get(id)?.(result); else before(line) } }`,
    )
    expect((await run('run', 'hi')).out).toBe('{"selected":"","cancelled":true}\n')
  })

  test('reports what a command throws', async () => {
    place.install('sound', "handlers['command/execute'] = () => { throw new Error('out of paper') }")
    expect(await run('run', 'hi')).toMatchObject({ code: 1, err: expect.stringContaining('out of paper') })
    expect(await run('run', 'hii')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Did you mean hi?'),
    })
  })
})

describe('record and replay', () => {
  test('replay sends the recorded messages again and shows differences, with exit code 1', async () => {
    const dir = place.install('sound')
    const steps = [
      'call greet {"who":"you"}',
      'run hi there',
      'press ctrl+g',
      'type some text',
      'message Hello',
      'event EventTurnStart',
    ]
    expect(await run('record', 'r.jsonl', ...steps)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Recorded 6 actions in r.jsonl.'),
    })
    expect(statSync(join(place.cwd, 'r.jsonl')).mode & 0o777).toBe(0o600)
    expect(await run('replay', 'r.jsonl')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^sound: \d+ messages, no differences\.\n$/),
    })
    place.write(join(dir, 'index.js'), readFileSync(join(dir, 'index.js'), 'utf8').replace('Hello ', 'Moin '))
    const { code, out } = await run('replay', 'r.jsonl', '--ext', 'sound')
    expect(code).toBe(1)
    expect(out).toContain('answer to tool/execute at result.content.0.text')
    expect(out).toContain('was: "Hello you"')
    expect(await json('replay', 'r.jsonl')).toMatchObject([
      { extension: 'sound', deviations: [{ kind: 'different', is: 'Moin you' }] },
    ])
  })

  test('actions are also read from standard input, and an invalid one is refused with a list of the valid ones', async () => {
    place.install('sound')
    expect(
      (await place.run(['ext', 'record', 'r.jsonl'], { stdin: 'run hi\n\ncall greet {"who":"x"}\n' })).out,
    ).toContain('Recorded 2 actions')
    expect(await run('record', 'r.jsonl', 'dance')).toMatchObject({
      code: 2,
      err: expect.stringContaining('call <tool> [<json>], run <command>'),
    })
    expect(await run('record', 'r.jsonl')).toMatchObject({ code: 2 })
  })

  test('call and run record, too', async () => {
    place.install('sound')
    await run('call', 'greet', '{"who":"you"}', '--record', 'c.jsonl')
    expect(await run('replay', 'c.jsonl')).toMatchObject({ code: 0 })
  })
})

describe('trust', () => {
  const keyed = `${`handlers['command/execute'] = async () => {
      const { result, error } = await ask('host/auth.getKey', { provider: 'openai' })
      say({ method: 'showMessage', params: { text: error ? error.message : 'key ' + result.key } })
      return {}
    }`}
    { const before = take; take = (line) => { const { id, method, result, error } = JSON.parse(line); if (method === undefined) pending.get(id)?.({ result, error }); else before(line) } }`

  test('a key is refused with the command that grants it, and then granted', async () => {
    place.install('sound', keyed)
    const env = { OPENAI_API_KEY: 'sk-1' }
    expect((await place.run(['ext', 'run', 'hi'], { env })).out).toContain('Run `piglet ext trust sound`')
    expect((await run('trust', 'sound', 'auth:openai')).out).toBe('sound has: auth:openai.\n')
    expect((await place.run(['ext', 'run', 'hi'], { env })).out).toBe('key sk-1\n')
    expect((await run('trust', 'sound', '--revoke')).out).toContain('has no grants')
    expect((await place.run(['ext', 'run', 'hi'], { env })).out).toContain('refused')
  })

  test('extensions of a project run if it is trusted', async () => {
    const source = readFileSync(join(place.install('other'), 'index.js'), 'utf8')
    place.write('.piglet/extensions/local/manifest.yaml', 'name: local\nruntime: node\nentry: x.js\n')
    place.write('.piglet/extensions/local/x.js', source.replaceAll("'greet'", "'wave'"))
    expect((await run('call', 'wave', '{"who":"you"}')).code).toBe(1)
    await run('trust', '--project')
    expect((await run('call', 'wave', '{"who":"you"}')).out).toBe('Hello you\n')
    expect(await json('trust', '--project', '--revoke')).toEqual({ project: place.cwd, trusted: false })
    expect((await run('call', 'wave', '{"who":"you"}')).code).toBe(1)
  })

  test.each([[[]], [['sound', 'everything']], [['sound', '--project']]])('%j is refused', async (words) => {
    place.install('sound')
    expect((await run('trust', ...words)).code).toBe(2)
  })
})

test('logs show what extensions logged and printed, by extension and level', async () => {
  place.install(
    'sound',
    `answered = (method) => { if (method === 'initialize') { say({ method: 'log', params: { level: 'warn', message: 'low on ink' } }); console.error('printed') } }`,
  )
  place.install('other')
  await run('call', 'ls')
  const { out } = await run('logs', 'sound')
  expect(out).toContain('[sound] low on ink')
  expect(out).toContain('[sound] printed')
  expect((await run('logs', '--level', 'warn')).out).not.toContain('printed')
  expect((await run('logs', 'other', '--level', 'warn')).err).toContain('No matching log lines.')
  expect(await run('logs', 'another')).toMatchObject({
    code: 1,
    err: expect.stringContaining('extension not found: another'),
  })
  expect(await run('logs', '--level', 'loud')).toMatchObject({ code: 2 })
})

describe('top', () => {
  test('reports that nothing is running, and shows what it starts itself', async () => {
    place.install('sound')
    place.install('bad', 'process.exit(1)')
    expect((await run('top')).out).toContain('No extensions are running.')
    const { out } = await run('top', '--start', '--once')
    expect(out).toMatch(/sound +running +\d+/)
    expect(out).toMatch(/bad +degraded +-/)
    expect(out).toContain('bad: initialize bad')
  })

  test('shows the extensions of another running program', async () => {
    place.install(
      'sound',
      `const started = handlers['command/execute']; handlers['command/execute'] = (params) => new Promise((resolve) => setTimeout(() => resolve(started(params)), 4000))`,
    )
    const other = run('run', 'hi')
    let boards: Awaited<ReturnType<typeof json>> = []
    await until(
      async () => {
        boards = await json('top')
        return boards[0]?.extensions[0]?.waiting === 1
      },
      () => `The board never showed the waiting call: ${JSON.stringify(boards)}`,
    )
    expect(boards).toMatchObject([
      { cwd: place.cwd, extensions: [{ name: 'sound', state: 'running', waiting: 1 }] },
    ])
    await other
    expect(await json('top')).toEqual([])
    expect(readdirSync(join(place.configDir, 'run'))).toEqual([])
  })
})

describe('check', () => {
  test('prints every rule, and how to fix a failure', async () => {
    place.install('sound', 'unknown = () => ({})')
    const { code, out } = await run('check', 'sound', '--only', 'requests/unknown-method')
    expect(code).toBe(1)
    expect(out).toContain('ok   handshake/answers')
    expect(out).toContain('FAIL requests/unknown-method')
    expect(out).toContain('fix:      Answer unknown methods with error -32601')
    expect(out).toContain('Does not speak the protocol: 1 passed, 1 failed')
  })

  test('prints JSON and JUnit XML, with fixtures of the author', async () => {
    const dir = place.install('sound')
    place.write('f.json', '{"tools":[{"name":"greet","args":{"who":"x"},"contains":"Hello x"}]}')
    expect(await json('check', dir, '--only', 'tools', '--fixtures', 'f.json')).toMatchObject({
      conformant: true,
      results: [{ id: 'handshake/answers' }, { id: 'tools/1-greet' }],
    })
    expect((await run('check', dir, '--only', 'handshake', '--junit')).out).toContain(
      '<testcase classname="handshake"',
    )
  })

  test.each([
    [['.'], 1, 'extension not found: .'],
    [['sound', '--only', 'manners'], 2, 'Use one of: manifest, handshake'],
    [['sound', '--json', '--junit'], 2, '--json and --junit cannot be used together'],
  ])('%j is refused', async (words, code, message) => {
    place.install('sound')
    expect(await run('check', ...words)).toMatchObject({ code, err: expect.stringContaining(message) })
  })
})

describe('new', () => {
  test.each(['python', 'sh'])(
    'writes an extension in %s that passes the check, and can be called',
    async (lang) => {
      expect((await run('new', 'word-count', '--lang', lang)).out).toContain('piglet ext check')
      const { code, out } = await run(
        'check',
        './word-count',
        '--only',
        'handshake',
        '--only',
        'requests',
        '--only',
        'end',
        '--only',
        'messages',
      )
      expect(out).not.toContain('FAIL')
      expect(code).toBe(0)
    },
  )

  test('does not overwrite files', async () => {
    place.write('taken/file', 'x')
    expect(await run('new', 'x', '--dir', 'taken')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not empty'),
    })
    expect(await run('new', 'x', '--lang', 'cobol')).toMatchObject({
      code: 2,
      err: expect.stringContaining('ts, python, sh'),
    })
    expect(existsSync(join(place.cwd, 'x'))).toBe(false)
  })
})
