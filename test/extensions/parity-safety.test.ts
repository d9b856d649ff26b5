// A faulty extension is reported with its file and the rule, and the others run; no extension gets more than
// it may.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '../../src/extensions/manifest.ts'
import { readManifest } from '../../src/extensions/manifest.ts'
import type { Piglet } from '../../src/piglet/piglet.ts'
import { Undo } from '../../src/piglet/tools/tool-context.ts'
import { findMethod, methods } from '../../src/protocol/extension/table.ts'
import { ask, asker, type Stage, stage } from './piglet-stage.ts'
import { scripted } from './scripted.ts'

let on: Stage
beforeEach(async () => {
  on = await stage()
  asker(on)
})
afterEach(async () => {
  await on[Symbol.asyncDispose]()
})

const add = (name: string, manifest: string, files: Record<string, string> = { 'i.cjs': scripted([]) }) => {
  on.write(`config/extensions/${name}/manifest.yaml`, manifest)
  for (const [path, text] of Object.entries(files))
    chmodSync(on.write(`config/extensions/${name}/${path}`, text), 0o755)
}
const states = (piglet: Piglet) =>
  piglet.host.list().map(({ manifest, status }) => `${manifest.name} ${status?.state}`)

describe('a faulty manifest is reported with the rule, and the others run', () => {
  test.each([
    ['no name', 'runtime: node\nentry: i.cjs\n', 'name is required'],
    ['no runtime', 'name: bad\n', 'runtime is required'],
    ['no YAML', 'name: [\n', 'the file is not valid YAML'],
    ['no fields', 'just text\n', 'the file is not a list of fields'],
    ['a path for a name', 'name: ../asker\nruntime: node\n', 'name must not have slashes'],
    [
      'the name of the program itself',
      'name: builtin\nruntime: node\nentry: i.cjs\n',
      'name must not be builtin, which the program uses for itself',
    ],
    ['an unknown way', 'name: bad\nruntime: node\ntransport: udp\n', 'transport must be stdio or fd'],
    [
      'permissions that are not a list',
      'name: bad\nruntime: node\npermissions: { a: b }\n',
      'permissions must be a list of strings',
    ],
  ])('%s', async (_name, manifest, rule) => {
    add('bad', manifest)
    const piglet = await on.open()
    expect(states(piglet)).toEqual(['asker running'])
    const [problem] = piglet.host.problems()
    expect(problem).toStartWith(`${join(on.configDir, 'extensions/bad/manifest.yaml')}: ${rule}`)
    expect(on.logged).toContain(`warn: ${problem}`)
    expect(piglet.host.registry.tools().get('read')?.owner).toBe('builtin')
  })

  test.each([
    [
      'an unknown runtime',
      'name: bad\nruntime: ruby\nentry: i.cjs\n',
      'runtime ruby is not one of bun, node, deno, python',
    ],
    [
      'a program that is not there',
      'name: bad\nruntime: /no/such/program\n',
      'there is no program /no/such/program',
    ],
    ['a program that is none', 'name: bad\nruntime: i.cjs\n', 'cannot be started'],
    [
      'an entry that is not there',
      'name: bad\nruntime: node\nentry: gone.js\n',
      'entry gone.js does not exist',
    ],
    ['no entry', 'name: bad\nruntime: node\n', 'entry is required for runtime node'],
  ])('%s', async (_name, manifest, rule) => {
    add('bad', manifest, { 'i.cjs': '\u0001\u0002 this is no program' })
    const piglet = await on.open()
    expect(states(piglet)).toEqual(['asker running', 'bad degraded'])
    const told = piglet.view().notifications.filter(({ level }) => level === 'error')
    expect(told.map(({ message }) => message)).toEqual([expect.stringContaining(rule)])
    expect(told[0]?.message).toContain(join(on.configDir, 'extensions/bad/manifest.yaml'))
  })

  test('a runtime that is not installed', async () => {
    add('bad', 'name: bad\nruntime: deno\nentry: i.cjs\n')
    const piglet = await on.open({ env: { PATH: join(on.base, 'nowhere'), HOME: on.base } })
    const told = piglet.view().notifications.map(({ message }) => message)
    expect(told.find((message) => message.includes('/bad/'))).toContain(
      'manifest.yaml: runtime deno: deno cannot be started',
    )
  })

  test('an unknown permission', async () => {
    add(
      'typo',
      'name: typo\nruntime: node\nentry: i.cjs\npermissions: [session, "auth:openai", sesion:write, "env:X", "*"]\n',
    )
    const piglet = await on.open()
    expect(states(piglet)).toEqual(['asker running', 'typo running'])
    expect(piglet.host.problems()).toEqual([
      `${join(on.configDir, 'extensions/typo/manifest.yaml')}: permission sesion:write does not exist, and permits nothing.`,
    ])
  })
})

test('an empty list of permissions permits nothing that needs one, and each refusal names the permission', async () => {
  const requests = Object.keys(methods).filter((name) => name.startsWith('host/'))
  const init = `const all = {}; const params = { provider: 'openai', name: 'n', modelId: 'm', task: 't', prompt: 'p', path: '/x', topic: 't', kind: 'k', targetId: 'x', entryId: 'x', choices: [] }
    for (const name of ${JSON.stringify(requests)}) all[name] = (await ask(name, params)).error?.message ?? 'ok'
    for (const method of ['sendMessage', 'steer', 'abort', 'abortWithMarker']) say({ method, params: { content: 'x', reason: 'x' } })
    for (const kind of ['tool', 'command', 'interceptor', 'eventHandler', 'messageHook', 'inputTransformer', 'compactor']) say({ method: 'register/' + kind, params: { name: 'mine' } })
    say({ method: 'register/promptSection', params: { title: 'mine' } }); say({ method: 'register/shortcut', params: { key: 'ctrl+g' } }); say({ method: 'register/provider', params: { api: 'openai' } })
    fs.writeFileSync('all.json', JSON.stringify(all))`
  add('none', 'name: none\nruntime: node\nentry: i.cjs\npermissions: []\n', {
    'i.cjs': scripted([], {}, init),
  })
  const piglet = await on.open()
  const all: Record<string, string> = JSON.parse(
    readFileSync(join(on.configDir, 'extensions/none/all.json'), 'utf8'),
  )
  for (const [name, said] of Object.entries(all)) {
    const { permission } = findMethod(name) ?? {}
    const needed = permission === 'auth' ? 'auth:openai' : permission
    if (needed === undefined) expect([name, said]).not.toEqual([name, expect.stringContaining('refused')])
    else
      expect([name, said]).toEqual([
        name,
        expect.stringContaining(
          `${name} refused: none lists permissions in its manifest.yaml, and ${needed} (`,
        ),
      ])
  }
  expect(Object.keys(all).length).toBe(52)
  expect(on.logged.filter((line) => line.includes('refused: none lists permissions')).length).toBe(14)
  expect(piglet.host.registry.offers().map(({ owner }) => owner)).toContain('none')
  expect([...piglet.host.registry.tools().keys(), ...piglet.host.registry.commands().keys()]).not.toContain(
    'mine',
  )
  expect(piglet.host.registry.interceptors()).toEqual([])
  expect(on.model.asked).toEqual([])
})

describe('the extensions of a project', () => {
  const ran = () => existsSync(join(on.cwd, 'ran'))
  beforeEach(() => {
    on.write('.piglet/extensions/own/manifest.yaml', 'name: asker\nruntime: node\nentry: i.cjs\n')
    on.write(
      '.piglet/extensions/own/i.cjs',
      `require('node:fs').writeFileSync(${JSON.stringify(join(on.cwd, 'ran'))}, ''); ${scripted([])}`,
    )
  })

  test.each([
    ['the settings do not allow them', '', 'Always'],
    ['the user says no', 'allowProjectExtensions: true\n', 'No'],
    ['the user says nothing', 'allowProjectExtensions: true\n', undefined],
    ['there is no user to ask', 'allowProjectExtensions: true\n', 'nobody'],
  ])('do not run when %s', async (_name, settings, said) => {
    on.write('config/config.yaml', `defaultModel: test/m1\n${settings}`)
    const piglet = await on.open(said === 'nobody' ? {} : { dialogs: async () => said })
    expect([ran(), piglet.host.list()[0]?.manifest.dir]).toEqual([
      false,
      join(on.configDir, 'extensions/asker'),
    ])
    expect(piglet.services.trust.trustsProject(on.cwd)).toBe(false)
  })

  test('do not start while the user decides, and replace others of the same name once trusted', async () => {
    on.write('config/config.yaml', 'defaultModel: test/m1\nallowProjectExtensions: true\n')
    let prompt = ''
    const piglet = await on.open({
      dialogs: async (question) => {
        prompt = question.kind === 'ask' ? question.prompt : ''
        await Bun.sleep(50)
        expect(ran()).toBe(false)
        return 'Always'
      },
    })
    expect([ran(), prompt]).toEqual([true, `Run the extensions that come with ${on.cwd}?`])
    expect(piglet.host.list().map(({ manifest }) => manifest.dir)).toEqual([
      join(on.cwd, '.piglet/extensions/own'),
    ])
    piglet.services.trust.distrustProject(on.cwd)
    const again = await on.open()
    expect(again.host.list()[0]?.manifest.dir).toBe(join(on.configDir, 'extensions/asker'))
  })
})

describe('keys', () => {
  beforeEach(() => {
    on.write('config/auth.json', '{"openai":"sk","xai":"x"}')
    add('many', 'name: many\nruntime: node\nentry: i.cjs\n', {
      'i.cjs': scripted([['register/command', { name: 'keys' }]], {
        'command/execute': `const all = await Promise.all(params.args.split(' ').map((provider) => ask('host/auth.getKey', { provider })))
          say({ method: 'showMessage', params: { text: all.map(({ result, error }) => result?.key ?? 'refused').join(' ') } }); answer(id, {})`,
      }),
    })
  })

  test('the user is asked once for each key, however many requests there are, and the answer is stored once', async () => {
    const asked: string[] = []
    const dialogs: NonNullable<Parameters<Stage['open']>[0]>['dialogs'] = async (question) => {
      asked.push(question.kind === 'ask' ? question.prompt : '')
      await Bun.sleep(20)
      return question.kind === 'ask' && question.prompt.endsWith('openai?') ? 'Always' : 'No'
    }
    const piglet = await on.open({ dialogs })
    const keys = async (of: Piglet, names: string) => {
      await of.runCommand('keys', names)
      return of.view().messages.at(-1)?.text
    }
    expect(await keys(piglet, 'openai xai openai xai')).toBe('sk refused sk refused')
    expect(await keys(piglet, 'xai openai')).toBe('refused sk')
    expect(asked).toEqual([
      'Let the extension many have auth:openai?',
      'Let the extension many have auth:xai?',
    ])
    expect(JSON.parse(readFileSync(join(on.configDir, 'trust.json'), 'utf8')).extensions).toEqual({
      many: ['auth:openai'],
    })
    // A grant covers one extension only, and can be revoked at once.
    await expect(ask(await on.open(), 'host/auth.getKey', { provider: 'openai' })).rejects.toThrow('refused')
    piglet.services.trust.revoke('many')
    expect(await keys(await on.open(), 'openai')).toBe('refused')
    expect(await keys(piglet, 'openai')).toBe('sk')
    expect(asked.length).toBe(3)
  })

  test('an extension that takes the name of another does not get its grants', async () => {
    const { app, services } = await on.open()
    services.trust.grant('many', ['auth:openai'])
    const dir = realpathSync(join(on.configDir, 'extensions', 'many'))
    const manifest = readManifest(dir) as Manifest
    expect(await app.approve(manifest, 'auth:openai')).toBe(true)
    expect(
      await app.approve({ ...manifest, dir: join(on.cwd, '.piglet', 'extensions', 'many') }, 'auth:openai'),
    ).toBe(false)
  })

  test('an extension named like a property of objects has no grants of its own', async () => {
    add('odd', 'name: constructor\nruntime: node\nentry: i.cjs\n', {
      'i.cjs': scripted([['register/command', { name: 'odd' }]], {
        'command/execute': `const { error } = await ask('host/auth.getKey', { provider: 'openai' }); say({ method: 'showMessage', params: { text: error.message } }); answer(id, {})`,
      }),
    })
    const piglet = await on.open()
    await piglet.runCommand('odd')
    expect(piglet.view().messages.at(-1)?.text).toContain('the user has not let constructor have auth:openai')
  })

  test('granted variables are in the environment from the next start on', async () => {
    add('env', 'name: env\nruntime: node\nentry: i.cjs\n', {
      'i.cjs': scripted([['register/command', { name: 'env' }]], {
        'command/execute': `say({ method: 'showMessage', params: { text: [process.env.MY_TOKEN, process.env.OTHER_KEY, process.env.PIGLET_SESSION_ID].join(' ') } }); answer(id, {})`,
      }),
    })
    const env = { PATH: process.env.PATH, HOME: on.base, MY_TOKEN: 't', OTHER_KEY: 'k' }
    const piglet = await on.open({ env })
    const seen = async () => {
      await piglet.runCommand('env')
      return piglet.view().messages.at(-1)?.text
    }
    expect(await seen()).toBe(`  ${piglet.app.sessionId()}`)
    piglet.services.trust.grant('env', ['env:MY_TOKEN'])
    await piglet.host.reload('env')
    expect(await seen()).toBe(`t  ${piglet.app.sessionId()}`)
  })
})

describe('files', () => {
  test('files kept by other projects are neither listed nor restored', async () => {
    const elsewhere = on.write('config/elsewhere.txt', 'theirs\n')
    new Undo(on.configDir).keep(elsewhere)
    const here = on.write('here.txt', 'ours\n')
    new Undo(on.configDir).keep(here)
    const piglet = await on.open()
    expect(await ask(piglet, 'host/undoSnapshots')).toEqual({ snapshots: { [here]: 5 } })
    on.write('config/elsewhere.txt', 'changed\n')
    await expect(ask(piglet, 'host/undoRestore', { path: elsewhere })).rejects.toThrow(
      `-32604 no snapshot for path: ${elsewhere}`,
    )
    for (const path of [
      `${on.cwd}/../config/elsewhere.txt`,
      'here.txt',
      '../config/elsewhere.txt',
      join(on.configDir, 'config.yaml'),
    ])
      await expect(ask(piglet, 'host/undoRestore', { path })).rejects.toThrow('-32604')
    // A file that a tool of this process changed can be restored, wherever it is.
    on.model.say({ calls: [{ name: 'write', args: { path: elsewhere, content: 'by the model\n' } }] }, 'done')
    await piglet.run('go')
    await ask(piglet, 'host/undoRestore', { path: elsewhere })
    expect(readFileSync(elsewhere, 'utf8')).toBe('changed\n')
  })

  test('only session files are read as sessions, and only extension texts as settings', async () => {
    const piglet = await on.open()
    await piglet.run('hi')
    const outside = on.write('outside.jsonl', readFileSync(piglet.services.current.session().path, 'utf8'))
    const link = join(on.configDir, 'sessions/link.jsonl')
    symlinkSync(outside, link)
    for (const path of [
      outside,
      link,
      join(on.configDir, 'sessions/../../project/outside.jsonl'),
      '/etc/passwd',
    ])
      await expect(ask(piglet, 'host/loadSession', { path })).rejects.toThrow('is not a session')
    for (const name of ['../config', 'a/b', '..', 'a\\b'])
      await expect(ask(piglet, 'host/config.readExtension', { name })).rejects.toThrow('-32603')
  })
})
