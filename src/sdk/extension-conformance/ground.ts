// Where a rule is tried: a home, a project and a place for settings that nobody else uses.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, boolean, looseObject, optional, parse, record, string, unknown } from 'valibot'
import { type Environment, extensionEnvironment } from '../../extensions/launch.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { parseJson } from '../../std/json.ts'

export interface Ground {
  /** What the extension is told to be its project. */
  project: string
  configDir: string
  /** What the process gets, as the host would give it. */
  env: Environment
}

export interface Grounds {
  /** A fresh one for each rule. */
  next(): Ground
  remove(): void
}

export function makeGrounds(env: Environment, manifest: Manifest): Grounds {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'entire-ext-check-')))
  let count = 0
  return {
    next: () => {
      count += 1
      const place = join(base, String(count))
      const [home, project, temporary] = [join(place, 'home'), join(place, 'project'), join(place, 'tmp')]
      const configDir = join(home, '.config', 'piglet', 'extensions', manifest.name)
      for (const dir of [home, project, temporary]) mkdirSync(dir, { recursive: true })
      writeFileSync(join(project, 'README.md'), '# Conformance\n')
      return {
        project,
        configDir,
        env: { ...extensionEnvironment(isolate(env, home), manifest, 'check'), TMPDIR: temporary },
      }
    },
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Without what points to the user's own files, and without what a host above us may have left. */
function isolate(env: Environment, home: string): Environment {
  const own = Object.entries(env).filter(([name]) => !/^(?:XDG_|PIGLET_)/.test(name))
  return { ...Object.fromEntries(own), HOME: home, USERPROFILE: home }
}

// What an author says about their own tools and commands, so that these can be tried as well: nobody else knows what they do.

const toolFixture = looseObject({
  name: string(),
  args: optional(record(string(), unknown()), {}),
  /** What its text must contain. */
  contains: optional(string()),
  isError: optional(boolean(), false),
  /** It takes long: it is called back while it works. */
  cancel: optional(boolean(), false),
})

const commandFixture = looseObject({
  name: string(),
  args: optional(string(), ''),
  /** What it must show, in a message or a notification. */
  says: optional(string()),
})

const schema = looseObject({
  tools: optional(array(toolFixture), []),
  commands: optional(array(commandFixture), []),
})

export type Fixtures = ReturnType<typeof parseFixtures>

export function parseFixtures(text: string, place: string) {
  try {
    return parse(schema, parseJson(text))
  } catch (error) {
    throw new EntireError('bad-usage', `${place} has no fixtures: ${messageOf(error)}.`, {
      hint: 'It has the form {"tools": [{"name": "greet", "args": {}, "contains": "Hello"}], "commands": [{"name": "hi", "says": "Hello"}]}.',
    })
  }
}

export function readFixtures(path: string): Fixtures {
  const text = readText(path)
  if (text === undefined) throw new EntireError('not-found', `There is no file ${path}.`)
  return parseFixtures(text, path)
}
