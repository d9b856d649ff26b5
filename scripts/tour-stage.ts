// Sets up a temporary home and repository for the tour, so that it does not touch files of the user.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

export interface Stage {
  base: string
  home: string
  /** A directory of programs, on the PATH. */
  bin: string
  /** Top of the work tree. */
  root: string
  /** Runs a program in the work tree and returns its output. A failure ends the tour. */
  run(argv: string[]): string
  write(path: string, text: string): void
  read(path: string): string
  remove(): void
}

const removedVariables = /^(GIT|CLAUDE|GEMINI|ENTIRE|CURSOR|CODEX|COPILOT|OPENCODE|XDG_CONFIG)/

export function setStage(program: string): Stage {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'entire-tour-')))
  const home = join(base, 'home')
  const bin = join(base, 'bin')
  const root = join(base, 'hello')
  for (const dir of [home, bin, root]) mkdirSync(dir)
  writeFileSync(
    join(home, '.gitconfig'),
    '[init]\n\tdefaultBranch = main\n[user]\n\tname = Ada\n\temail = ada@example.com\n',
  )
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !removedVariables.test(name))),
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
    PATH: [bin, dirname(program), process.env.PATH].join(delimiter),
    NO_COLOR: '1',
    // Questions get their default answer, so that the tour runs unattended on a terminal, too.
    ENTIRE_TEST_TTY: '1',
  }
  return {
    base,
    home,
    bin,
    root,
    run(argv) {
      const done = Bun.spawnSync(argv, { cwd: root, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
      const output = `${done.stdout}${done.stderr}`
      if (done.exitCode !== 0) throw new Error(`${argv.join(' ')} ended with ${done.exitCode}:\n${output}`)
      return output
    },
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  }
}
