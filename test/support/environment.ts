// Makes a hermetic environment: nothing of the developer's git, agents or settings reaches a test.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Environment = Record<string, string | undefined>

const foreign =
  /^(GIT|CLAUDE|GEMINI|ENTIRE|PIGLET|PI_|CURSOR|OPENCODE|CODEX|COPILOT|ANTHROPIC|OPENAI|AIDER|XDG|SSH_ASKPASS|EDITOR|VISUAL|PAGER)/

const globalConfig = `[init]
	defaultBranch = main
[commit]
	gpgsign = false
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol "file"]
	allow = always
[advice]
	detachedHead = false
`

/** Variables for a test whose home is `<base>/home`; `~/.gitconfig` is the global configuration. */
export function hermeticEnv(base: string, inherited: Environment = process.env): Environment {
  const home = join(base, 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, '.gitconfig'), globalConfig)
  const kept = Object.entries(inherited).filter(([name]) => !foreign.test(name))
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_EDITOR: 'true',
    TERM: 'dumb',
  }
}
