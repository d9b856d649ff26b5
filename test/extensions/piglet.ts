// Runs `piglet` as a user does: in a separate process, with its own configuration, without a terminal.
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { builtFile } from '../support/built-file.ts'
import type { Answer } from '../support/entire.ts'
import { type Environment, hermeticEnv } from '../support/environment.ts'
import { runProgram } from '../support/process.ts'
import { type ExtensionDirs, extensionDirs } from './live.ts'
import { soundExtension } from './sound-extension.ts'

const binary = builtFile('piglet')

export interface PigletPlace extends Disposable {
  /** The project. */
  cwd: string
  configDir: string
  env: Environment
  dirs: ExtensionDirs
  /** Installs a sound extension, optionally with a defect, and returns its directory. */
  install(name: string, code?: string, manifest?: Record<string, string>): string
  write(path: string, text: string): void
  run(args: string[], options?: { stdin?: string; env?: Environment }): Promise<Answer>
}

export function pigletPlace(): PigletPlace {
  const dirs = extensionDirs()
  const env = hermeticEnv(dirs.base)
  const configDir = join(dirs.base, 'home', '.config', 'piglet')
  const cwd = join(dirs.base, 'project')
  mkdirSync(cwd)
  return {
    cwd,
    configDir,
    env,
    dirs,
    install(name, code = '', manifest = {}) {
      const { dir } = dirs.add(`built-${name}`, { 'index.js': soundExtension(code) }, { name, ...manifest })
      const target = join(configDir, 'extensions', name)
      cpSync(dir, target, { recursive: true })
      return target
    },
    write(path, text) {
      const file = resolve(cwd, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      chmodSync(file, 0o755)
    },
    async run(args, { stdin, env: more } = {}) {
      const { code, stdout, stderr } = await runProgram([binary, ...args], {
        cwd,
        env: { ...env, ...more },
        ...(stdin === undefined ? {} : { stdin }),
      })
      return { code, out: stdout.toString('utf8'), err: stderr }
    },
    [Symbol.dispose]: () => dirs[Symbol.dispose](),
  }
}
