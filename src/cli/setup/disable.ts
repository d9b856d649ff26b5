// `entire disable`: stops recording, or removes everything that `entire enable` installed.

import { buildCommand } from '@stricli/core'
import { metadataBranch, metadataRef } from '../../checkpoints/layout.ts'
import { listRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { ensureEntireDir, isSetUp, readSettings, settingsPaths } from '../../settings/read.ts'
import { changeSettings } from '../../settings/write.ts'
import { EntireError } from '../../std/errors.ts'
import { confirm } from '../ask.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { findGonePlugins } from './health.ts'
import { describeUninstall, planRepoUninstall, uninstallFromRepo } from './uninstall.ts'

interface DisableFlags {
  uninstall?: boolean
  force?: boolean
  project?: boolean
}

export const disableCommand = buildCommand<DisableFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'disable')
    if (flags.uninstall) await runUninstall(this, repo, flags.force === true)
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
  if (readSettings(repo.root).enabled) {
    cli.out(`Entire is now disabled in ${settingsPaths.project}, but ${settingsPaths.local} enables it here.`)
    cli.note('hint: Run `entire disable` to disable it here, too.')
  } else cli.out('Entire is now disabled.')
}

async function runUninstall(cli: Cli, repo: Repo, force: boolean): Promise<void> {
  const plan = await planRepoUninstall(repo, await findGonePlugins(repo, cli.env))
  const items = describeUninstall(plan)
  if (items.length === 0) {
    await uninstallFromRepo(repo, plan)
    return cli.out('Entire is not installed in this repository.')
  }
  cli.out('This will completely remove Entire from this repository:')
  for (const item of items) cli.out(`  - ${item}`)
  cli.out()
  const question = {
    message: 'Are you sure you want to uninstall Entire?',
    noTerminalHint: 'Run `entire disable --uninstall --force`.',
  }
  if (!force && !(await confirm(cli, question))) return cli.out('Uninstall cancelled.')
  const { done, warnings, failed } = await uninstallFromRepo(repo, plan)
  for (const warning of warnings) cli.note(`[entire] Warning: ${warning}`)
  for (const line of done) cli.out(`  ${line}`)
  if (failed.length > 0) throw incomplete(failed)
  cli.out('\nEntire CLI uninstalled successfully.')
  if ((await listRefs(repo, metadataRef)).length > 0) {
    cli.out(
      `Your checkpoints are still on the branch ${metadataBranch}. To delete them: git branch -D ${metadataBranch}`,
    )
  }
}

function incomplete(failed: EntireError[]): EntireError {
  return new EntireError('agent-failed', failed.map(({ message }) => message).join('\n'), {
    hint: failed.map(({ hint }) => hint ?? '').join('\n'),
  })
}
