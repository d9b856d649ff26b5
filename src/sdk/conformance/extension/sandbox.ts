// Makes the sandbox of a trial of an extension: a project, a home and a directory for settings.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { extensionEnvironment } from '../../../extensions/launch.ts'
import type { Manifest } from '../../../extensions/manifest.ts'
import { type Environment, isolate, SandboxRoot } from '../sandbox.ts'

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
