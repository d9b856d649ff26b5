// Defines `entire disable`, which stops recording, or removes everything that `entire enable` installed.

import { buildCommand } from '@stricli/core'
import { metadataBranch } from '../../checkpoints/layout.ts'
import type { Repo } from '../../git/repo.ts'
import { isSetUp, settingsPaths } from '../../settings/read.ts'
import { changeSettings, ensureEntireDir } from '../../settings/write.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { settingsFor } from '../preconditions.ts'

interface DisableFlags {
  uninstall?: boolean
  force?: boolean
  project?: boolean
}

export const disableCommand = buildCommand<DisableFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'disable')
    if (flags.uninstall) await (await import('./uninstall.ts')).runUninstall(this, repo, flags.force === true)
    else disable(this, repo, flags.project ? 'project' : 'local')
  },
  parameters: {
    flags: {
      uninstall: switchFlag('Remove hooks, settings and session data from this repository'),
      force: switchFlag('Uninstall without asking'),
      project: switchFlag('Disable for everyone, in .entire/settings.json'),
    },
    aliases: { f: 'force' },
  },
  docs: {
    brief: 'Stop recording in this repository',
    fullDescription: formatManual({
      text: [
        'Hooks stay installed and do nothing until you run `entire enable`. --uninstall removes everything: hooks (the files of',
        'agents are restored as they were), sessions, steps and the .entire directory. Checkpoints stay on the branch',
        `${metadataBranch}.`,
      ],
      examples: [
        ['entire disable', 'for you alone'],
        ['entire disable --project', 'for everyone who uses the project'],
        ['entire disable --uninstall --force', 'remove everything without asking'],
      ],
    }),
  },
})

function disable(cli: Cli, repo: Repo, file: 'project' | 'local'): void {
  if (!isSetUp(repo.root)) {
    cli.out('Entire is not set up in this repository. There is nothing to disable.')
    return
  }
  ensureEntireDir(repo.root)
  changeSettings(repo.root, file, { enabled: false })
  if (settingsFor(cli, repo).enabled) {
    cli.out(`Entire is now disabled in ${settingsPaths.project}, but ${settingsPaths.local} enables it here.`)
    cli.note('hint: Run `entire disable` to disable it here, too.')
  } else cli.out('Entire is now disabled.')
}
