// Enables and uninstalls: every file of the work tree and of the git directory is as it was, byte for byte.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { binary } from '../support/recorded-repo.ts'
import { type TempRepo, tempRepo } from '../support/repo.ts'
import { rotatingSeeds, timeLimit } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'

setDefaultTimeout(timeLimit(120_000))

const hooks = ['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-push', 'post-rewrite', 'pre-commit']

const indent = fc.constantFrom('  ', '    ', '\t', '')
const ending = fc.constantFrom('\n', '', '\r\n', '\n\n')
const command = fc.constantFrom('echo hi', 'it\'s "quoted"', 'entire-like hooks', 'node x.js && true')

// Settings as people and programs write them: other hooks, other keys, other indentation.
const settings = fc
  .record({
    value: fc.record(
      {
        model: fc.constantFrom('opus', 'ünï'),
        permissions: fc.record(
          {
            allow: fc.array(fc.constantFrom('Bash(ls)', 'Read(./x)'), { maxLength: 2 }),
            deny: fc.array(fc.constantFrom('Read(.env)'), { maxLength: 1 }),
          },
          { requiredKeys: [] },
        ),
        hooks: fc.dictionary(
          fc.constantFrom('Stop', 'SessionStart', 'PreToolUse', 'BeforeAgent', 'Notification'),
          fc.array(
            fc.record({
              matcher: fc.constantFrom('', 'Task', '*'),
              hooks: fc.array(
                command.map((text) => ({ type: 'command', command: text })),
                { maxLength: 2 },
              ),
            }),
            { maxLength: 2 },
          ),
        ),
        hooksConfig: fc.record({ enabled: fc.boolean() }, { requiredKeys: [] }),
        env: fc.dictionary(fc.constantFrom('A', 'B'), fc.string({ maxLength: 5 })),
      },
      { requiredKeys: [] },
    ),
    indent,
    ending,
  })
  .map(({ value, indent: by, ending: end }) => JSON.stringify(value, null, by) + end)

const script = fc
  .record({
    body: fc.constantFrom('exit 0', 'cat >/dev/null', 'echo "$@"', ''),
    shell: fc.constantFrom('#!/bin/sh\n', '#!/usr/bin/env bash\n'),
  })
  .map(({ body, shell }) => `${shell}${body}\n`)

const ground = fc.record(
  {
    claude: settings,
    claudeLocal: settings,
    gemini: settings,
    gitignore: fc.constantFrom('node_modules\n', '*.log', '', '.entire/\n'),
    hooks: fc.dictionary(fc.constantFrom(...hooks), script, { maxKeys: 3 }),
  },
  { requiredKeys: ['hooks'] },
)

// What people do between enabling and uninstalling.
const changes = fc.subarray(
  [
    ['agent', 'add', 'claude-code', 'gemini'],
    ['agent', 'remove', 'gemini'],
    ['configure', 'push_sessions', 'false'],
    ['configure', 'absolute_git_hook_path', 'true'],
    ['configure', 'strategy', 'auto-commit', '--project'],
    ['enable', '--force', '--local', '--strategy', 'manual-commit'],
    ['disable', '--project'],
  ],
  { maxLength: 3 },
)

type Ground = typeof ground extends fc.Arbitrary<infer T> ? T : never

test.each(
  ['claude-code', 'gemini', 'pi'].flatMap((agent, index) =>
    rotatingSeeds(20261115 + 100 * index).map((seed) => [agent, seed, agent === 'pi' ? 1 : 3] as const),
  ),
)('enabling %s and uninstalling gives back every file (seed %d)', (agent, seed, numRuns) =>
  counted('operations', (trials) =>
    fc.assert(
      fc.asyncProperty(ground, changes, async (before, between) => {
        await using repo = await tempRepo()
        lay(repo, before)
        const files = everyFile(repo)
        for (const args of [
          ['enable', '--agent', agent],
          ...between,
          ['disable', '--uninstall', '--force'],
        ]) {
          trials.begin()
          const ran = await repo.run([binary, ...args])
          expect({ args, code: ran.code, err: ran.code === 0 ? '' : ran.stderr }).toEqual({
            args,
            code: 0,
            err: '',
          })
        }
        expect(everyFile(repo)).toEqual(files)
      }),
      { seed, numRuns, endOnFailure: true },
    ),
  ),
)

function lay(repo: TempRepo, { claude, claudeLocal, gemini, gitignore, hooks: scripts }: Ground): void {
  const put = (path: string, content: string | undefined) => {
    if (content !== undefined) repo.write(path, content)
  }
  put('.claude/settings.json', claude)
  put('.claude/settings.local.json', claudeLocal)
  put('.gemini/settings.json', gemini)
  put('.gitignore', gitignore)
  for (const [name, content] of Object.entries(scripts)) {
    const path = join(repo.repo.commonDir, 'hooks', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    chmodSync(path, 0o755)
  }
}

// Objects stay, and so do checkpoints: they are the user's record.
const kept = /^\.git\/(objects|(logs\/)?refs\/heads\/entire)(\/|$)/

function everyFile(repo: TempRepo, below = ''): string[] {
  // Sorted: a rewritten file may have another place in the list of the file system.
  const names = readdirSync(join(repo.root, below)).sort()
  return names.flatMap((name) => {
    const path = below === '' ? name : `${below}/${name}`
    if (kept.test(path)) return []
    const place = join(repo.root, path)
    const stat = lstatSync(place)
    if (stat.isDirectory()) return [`${path}/`, ...everyFile(repo, path)]
    const content = stat.isSymbolicLink() ? Buffer.from(readlinkSync(place)) : readFileSync(place)
    return [`${path} ${stat.mode.toString(8)} ${createHash('sha1').update(content).digest('hex')}`]
  })
}
