// Makes the sandbox of a trial of an extension (a project, a home and a directory for settings), and reads
// the fixtures: calls of its tools and commands, and what they must return.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { array, boolean, type InferOutput, looseObject, optional, record, string, unknown } from 'valibot'
import type { Manifest } from '../../../extensions/manifest.ts'
import { extensionEnvironment } from '../../../extensions/runtime.ts'
import type { Environment } from '../../../std/environment.ts'
import { readFixturesFile } from '../fixtures.ts'
import { isolate, SandboxRoot } from '../sandbox.ts'

export interface ExtensionSandbox {
  /** The working directory that `initialize` names. */
  project: string
  configDir: string
  /** The environment that a host would give the process. */
  env: Environment
}

export interface ExtensionSandboxes {
  /** A fresh one for each trial. */
  next(): ExtensionSandbox
  remove(): void
}

export function makeExtensionSandboxes(env: Environment, manifest: Manifest): ExtensionSandboxes {
  const sandboxes = new SandboxRoot('entire-ext-check-')
  return {
    next: () => {
      const { dir, home, temporary } = sandboxes.next()
      const project = join(dir, 'project')
      mkdirSync(project)
      writeFileSync(join(project, 'README.md'), '# Conformance\n')
      // PIGLET_ variables may come from a host that runs this check.
      const isolated = isolate(env, home, ['XDG_', 'PIGLET_'])
      return {
        project,
        configDir: join(home, '.config', 'piglet', 'extensions', manifest.name),
        env: { ...extensionEnvironment(isolated, manifest, 'check'), TMPDIR: temporary },
      }
    },
    remove: () => sandboxes.remove(),
  }
}

const toolFixture = looseObject({
  name: string(),
  args: optional(record(string(), unknown()), {}),
  /** The result must contain this text. */
  contains: optional(string()),
  isError: optional(boolean(), false),
  /** The tool takes long: the call is cancelled while it runs. */
  cancel: optional(boolean(), false),
})

const commandFixture = looseObject({
  name: string(),
  args: optional(string(), ''),
  /** The command must show this text, in a message or a notification. */
  says: optional(string()),
})

const extensionFixturesSchema = looseObject({
  tools: optional(array(toolFixture), []),
  commands: optional(array(commandFixture), []),
})

export type ExtensionFixtures = InferOutput<typeof extensionFixturesSchema>

export function readExtensionFixtures(path: string): ExtensionFixtures {
  return readFixturesFile(path, {
    schema: extensionFixturesSchema,
    errorCode: 'bad-usage',
    hint: 'It has the form {"tools": [{"name": "greet", "args": {}, "contains": "Hello"}], "commands": [{"name": "hi", "says": "Hello"}]}.',
  })
}
