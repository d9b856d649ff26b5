// The hooks recording depends on: missing, written over by another tool, of another version, or calling a program that is not there.

import { readdirSync, realpathSync } from 'node:fs'
import { type HookNote, readHookNotes } from '../../agents/external/hook-note.ts'
import { readKept } from '../../agents/shared/settings-installer.ts'
import { readConfig } from '../../git/config.ts'
import { installHooks, isHosted, planHookInstall, readHookState } from '../../git/hooks/install.ts'
import { hookNames } from '../../git/hooks/names.ts'
import { isSetUp } from '../../settings/read.ts'
import type { EntireError } from '../../std/errors.ts'
import { hookProgram } from '../context.ts'
import { findGonePlugins, type GonePlugin, removalByHand } from '../setup/health.ts'
import {
  findInstalledAgents,
  findWatchedAgents,
  type HookedAgent,
  hookedAgents,
  hookSite,
  readAgentHooks,
} from '../setup/setup.ts'
import type { Examination, Finding, Remedy } from './examination.ts'

function commandOf({ cli, recorder }: Examination): string {
  return hookProgram(recorder.settings, cli.program)
}

type HookFault = 'missing' | 'foreign' | 'outdated'

const gitFaults: Record<HookFault, { severity: Finding['severity']; title: string; detail: string }> = {
  missing: {
    severity: 'error',
    title: 'Git hooks are missing',
    detail: 'Commits are not linked to sessions.',
  },
  foreign: {
    severity: 'error',
    title: 'Git hooks were written over by another tool',
    detail: 'Commits are not linked to sessions. Installing ours again keeps theirs, and both run.',
  },
  outdated: {
    severity: 'warning',
    title: 'Git hooks are of another version',
    detail: 'They may not do what this version expects.',
  },
}

export async function checkGitHooks(exam: Examination): Promise<Finding[]> {
  if (!isRecording(exam)) return []
  const command = commandOf(exam)
  const { hooksDir } = await readConfig(exam.repo)
  const faults = hookNames.map((name) => {
    const state = readHookState(hooksDir, name, () => listNames(hooksDir))
    if (planHookInstall(state, command).steps.length === 0) return undefined
    const file = isHosted(state) ? state.legacy : state.main
    if (file === undefined || (file.isEntireHook && !file.isExecutable)) return 'missing'
    return file.isEntireHook ? 'outdated' : 'foreign'
  })
  const remedy: Remedy = {
    label: 'Install the hooks again',
    apply: async () => [`Installed git hooks (${installHooks(hooksDir, { command }).written.join(', ')})`],
  }
  return (Object.keys(gitFaults) as HookFault[]).flatMap((fault): Finding[] => {
    const concerned = hookNames.filter((_, index) => faults[index] === fault)
    if (concerned.length === 0) return []
    const { severity, title, detail } = gitFaults[fault]
    return [
      {
        id: `git-hooks-${fault}`,
        severity,
        title: `${title}: ${concerned.join(', ')}.`,
        detail: [detail, `In ${hooksDir}`],
        fix: '`entire enable`, or `entire doctor --force`',
        remedies: [remedy],
      },
    ]
  })
}

export async function checkAgentHooks(exam: Examination): Promise<Finding[]> {
  if (!isRecording(exam)) return []
  const site = hookSite(exam.repo)
  const command = commandOf(exam)
  const states = await readAgentHooks(exam.repo)
  const installed = states.flatMap(({ agent, installed: isThere }) => (isThere === true ? agent : []))
  const silent = states.flatMap(({ agent, installed: problem }) =>
    typeof problem === 'boolean' ? [] : silentPlugin(agent, problem),
  )
  const current = await Promise.all(installed.map((agent) => agent.installer.current(site, { command })))
  // What the file was before our hooks is kept for as long as they should be in it.
  const noted = readHookNotes(site).map(({ name }) => name)
  const lost = states.flatMap(({ agent, installed: isThere }) =>
    isThere === false &&
    (noted.includes(agent.name) || readKept(site, agent.installer.configPath) !== undefined)
      ? agent
      : [],
  )
  const isWatched = (await findWatchedAgents(exam.repo)).length > 0
  if (installed.length === 0 && lost.length === 0 && !isWatched)
    return [
      ...silent,
      {
        id: 'agent-hooks-missing',
        severity: 'error',
        title: 'No agent has hooks here, so nothing is recorded.',
        detail: [
          `Agents there are hooks for: ${hookedAgents()
            .map((agent) => agent.name)
            .join(', ')}`,
        ],
        fix: 'entire enable --agent <name>',
        remedies: [],
      },
    ]
  return [
    ...silent,
    ...lost.map((agent) => agentFinding(exam, agent, 'missing')),
    ...installed.filter((_, index) => !current[index]).map((agent) => agentFinding(exam, agent, 'outdated')),
  ]
}

function silentPlugin(agent: HookedAgent, problem: EntireError): Finding {
  return {
    id: 'agent-hooks-unknown',
    subject: agent.name,
    severity: 'warning',
    title: `The plugin of ${agent.type} does not say whether its hooks are installed.`,
    detail: [problem.message],
    fix: `entire agent check ${agent.installer.configPath}`,
    remedies: [],
  }
}

function agentFinding(exam: Examination, agent: HookedAgent, fault: 'missing' | 'outdated'): Finding {
  const { configPath } = agent.installer
  return {
    id: `agent-hooks-${fault}`,
    subject: agent.name,
    severity: fault === 'missing' ? 'error' : 'warning',
    title:
      fault === 'missing'
        ? `The hooks of ${agent.type} are gone${agent.executable === undefined ? ` from ${configPath}` : ''}: its sessions are not recorded.`
        : `The hooks of ${agent.type} in ${configPath} are of another version, or incomplete.`,
    detail: [],
    fix: `\`entire enable --agent ${agent.name}\`, or \`entire doctor --force\``,
    remedies: [
      {
        label: `Install the hooks of ${agent.type} again`,
        apply: async () => {
          await agent.installer.install(hookSite(exam.repo), { command: commandOf(exam), force: false })
          return [`Installed hooks for ${agent.description}`]
        },
      },
    ],
  }
}

/** Hooks call the program by its name: it must be found, and it should be this one. */
export async function checkProgram(exam: Examination): Promise<Finding[]> {
  const { cli } = exam
  if (!isRecording(exam)) return []
  const command = commandOf(exam)
  const found = Bun.which(command, { PATH: cli.env.PATH ?? '' })
  if (found === null)
    return [
      {
        id: 'program-not-found',
        severity: 'error',
        title: `Hooks call \`${command}\`, which is not on the PATH: nothing is recorded.`,
        detail: [`This program is ${cli.program}`],
        fix: 'Put it on the PATH of your shell and of your agents, or run `entire enable --absolute-git-hook-path`.',
        remedies: [],
      },
    ]
  if (realpathSync(found) === realpathSync(cli.program)) return []
  return [
    {
      id: 'other-program',
      severity: 'info',
      title: `Hooks run another copy of this program: ${found}.`,
      detail: [`This program is ${cli.program}`],
      fix: 'Nothing, if that is what you want.',
      remedies: [],
    },
  ]
}

export function isRecording({ repo, recorder }: Examination): boolean {
  return isSetUp(repo.root) && recorder.settings.enabled
}

function listNames(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

// Hooks that are installed and yet do not run: some agents ask their user for leave first, and say nothing of it afterwards.

export async function checkObstacles(exam: Examination): Promise<Finding[]> {
  if (!isRecording(exam)) return []
  const installed = await findInstalledAgents(exam.repo)
  const found = await Promise.all(
    installed.map(async (agent): Promise<Finding[]> => {
      const obstacle = await agent.findObstacle?.(exam.repo.root, exam.cli.env)
      if (obstacle === undefined) return []
      return [
        {
          id: 'agent-hooks-held-back',
          subject: agent.name,
          severity: 'warning',
          title: obstacle.message,
          detail: [],
          fix: obstacle.fix,
          remedies: [],
        },
      ]
    }),
  )
  return found.flat()
}

// External agents that have hooks here, but whose sessions nobody records: the plugin is gone, or the settings do not allow it.

export async function checkPlugins(exam: Examination): Promise<Finding[]> {
  if (!isRecording(exam)) return []
  if (!exam.recorder.settings.externalAgents) return readHookNotes(hookSite(exam.repo)).map(refused)
  return (await findGonePlugins(exam.repo, exam.cli.env)).map(gone)
}

function refused({ name, type }: HookNote): Finding {
  return {
    id: 'external-agents-off',
    subject: name,
    severity: 'warning',
    title: `${type} has hooks here, but external agents are not allowed: its sessions are not recorded.`,
    detail: [],
    fix: `\`entire enable --agent ${name}\` allows them; \`entire agent remove ${name}\` removes its hooks`,
    remedies: [],
  }
}

function gone(plugin: GonePlugin): Finding {
  return {
    id: 'plugin-gone',
    subject: plugin.name,
    severity: 'error',
    title: `${plugin.type} has hooks here and no plugin that can be used: its sessions are not recorded.`,
    detail: [plugin.why],
    fix: `Put entire-agent-${plugin.name} back. Or ${removalByHand(plugin)}, and then run \`entire agent remove ${plugin.name}\``,
    remedies: [],
  }
}
