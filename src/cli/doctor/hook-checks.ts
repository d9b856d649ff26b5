// Checks the hooks of git and of agents: missing, replaced, outdated, blocked, or without their program.

import { readdirSync, realpathSync } from 'node:fs'
import { type HookedPlugin, readHookedPlugins } from '../../agents/external/hooked-plugins.ts'
import { readOriginal } from '../../agents/shared/original-file.ts'
import { readConfig } from '../../git/config.ts'
import { requireHooksInside } from '../../git/hooks/files.ts'
import { installHooks, isHosted, planHookInstall, readHookState } from '../../git/hooks/install.ts'
import { hookNames } from '../../git/hooks/names.ts'
import { isSetUp } from '../../settings/read.ts'
import type { EntireError } from '../../std/errors.ts'
import { hookProgram } from '../context.ts'
import { findGonePlugins, type GonePlugin, removalByHand } from '../setup/health.ts'
import {
  addAgentHooks,
  findInstalledAgents,
  findWatchedAgents,
  type HookedAgent,
  hookedAgents,
  hookSite,
  readAgentHooks,
} from '../setup/setup.ts'
import { describeUnreported, findUnreported } from '../setup/unreported.ts'
import type { DoctorRun, Finding, Remedy } from './finding.ts'

function commandOf({ cli, recorder }: DoctorRun): string {
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
    title: 'Git hooks were overwritten by another tool',
    detail:
      'Commits are not linked to sessions. Installing the hooks again keeps those of the other tool; both run.',
  },
  outdated: {
    severity: 'warning',
    title: 'Git hooks were installed by another version',
    detail: 'They may not do what this version expects.',
  },
}

export async function checkGitHooks(run: DoctorRun): Promise<Finding[]> {
  if (!isRecording(run)) return []
  const command = commandOf(run)
  const { program } = run.cli
  const { hooksDir } = await readConfig(run.repo)
  const faults = hookNames.map((name) => {
    const state = readHookState(hooksDir, name, () => listNames(hooksDir))
    if (planHookInstall(state, { command, program }).steps.length === 0) return undefined
    const file = isHosted(state) ? state.legacy : state.main
    if (file === undefined || (file.isEntireHook && !file.isExecutable)) return 'missing'
    return file.isEntireHook ? 'outdated' : 'foreign'
  })
  const remedy: Remedy = {
    label: 'Install the hooks again',
    apply: async () => {
      requireHooksInside(hooksDir, run.repo)
      return [`Installed git hooks (${installHooks(hooksDir, { command, program }).written.join(', ')})`]
    },
  }
  return (Object.keys(gitFaults) as HookFault[]).flatMap((fault): Finding[] => {
    const names = hookNames.filter((_, index) => faults[index] === fault)
    if (names.length === 0) return []
    const { severity, title, detail } = gitFaults[fault]
    return [
      {
        id: `git-hooks-${fault}`,
        severity,
        title: `${title}: ${names.join(', ')}.`,
        detail: [detail, `In ${hooksDir}`],
        fix: 'Run `entire enable`, or `entire doctor --force`.',
        remedies: [remedy],
      },
    ]
  })
}

export async function checkAgentHooks(run: DoctorRun): Promise<Finding[]> {
  if (!isRecording(run)) return []
  const site = hookSite(run.repo)
  const command = commandOf(run)
  const states = await readAgentHooks(run.repo)
  const installed = states.flatMap(({ agent, installed: isInstalled }) => (isInstalled === true ? agent : []))
  const silent = states.flatMap(({ agent, installed: problem }) =>
    typeof problem === 'boolean' ? [] : silentPlugin(agent, problem),
  )
  const current = await Promise.all(installed.map((agent) => agent.installer.current(site, { command })))
  // A record of its plugin, or a backup of the settings file, shows that the hooks of an agent were installed.
  const hooked = readHookedPlugins(site).map(({ name }) => name)
  const lost = states.flatMap(({ agent, installed: isInstalled }) =>
    isInstalled === false &&
    (hooked.includes(agent.name) || readOriginal(site, agent.installer.configPath) !== undefined)
      ? agent
      : [],
  )
  const isWatched = (await findWatchedAgents(run.repo)).length > 0
  if (installed.length === 0 && lost.length === 0 && !isWatched)
    return [
      ...silent,
      {
        id: 'agent-hooks-missing',
        severity: 'error',
        title: 'No agent has hooks in this repository, so nothing is recorded.',
        detail: [
          `Agents with hooks: ${hookedAgents()
            .map((agent) => agent.name)
            .join(', ')}`,
        ],
        fix: 'Run `entire enable --agent <name>`.',
        remedies: [],
      },
    ]
  return [
    ...silent,
    ...lost.map((agent) => agentFinding(run, agent, 'missing')),
    ...installed.filter((_, index) => !current[index]).map((agent) => agentFinding(run, agent, 'outdated')),
  ]
}

function silentPlugin(agent: HookedAgent, problem: EntireError): Finding {
  return {
    id: 'agent-hooks-unknown',
    subject: agent.name,
    severity: 'warning',
    title: `The plugin for ${agent.type} does not report whether its hooks are installed.`,
    detail: [problem.message],
    fix: `Run \`entire agent check ${agent.installer.configPath}\`.`,
    remedies: [],
  }
}

function agentFinding(run: DoctorRun, agent: HookedAgent, fault: 'missing' | 'outdated'): Finding {
  const { configPath } = agent.installer
  return {
    id: `agent-hooks-${fault}`,
    subject: agent.name,
    severity: fault === 'missing' ? 'error' : 'warning',
    title:
      fault === 'missing'
        ? `The hooks of ${agent.type} are gone${agent.executable === undefined ? ` from ${configPath}` : ''}: its sessions are not recorded.`
        : `The hooks of ${agent.type} in ${configPath} are outdated or incomplete.`,
    detail: [],
    fix: `Run \`entire enable --agent ${agent.name}\`, or \`entire doctor --force\`.`,
    remedies: [
      {
        label: `Install the hooks of ${agent.type} again`,
        apply: async () => {
          await addAgentHooks(run.repo, agent, { command: commandOf(run), force: false })
          return [`Installed hooks for ${agent.description}`]
        },
      },
    ],
  }
}

/** Hooks call the program by name: it must be on the PATH, and should be this one. */
export async function checkProgram(run: DoctorRun): Promise<Finding[]> {
  const { cli } = run
  if (!isRecording(run)) return []
  const command = commandOf(run)
  const found = Bun.which(command, { PATH: cli.env.PATH ?? '' })
  if (found === null)
    return [
      {
        id: 'program-not-found',
        severity: 'error',
        title: `Hooks call \`${command}\`, which is not on the PATH: nothing is recorded.`,
        detail: [`This program is ${cli.program}`],
        fix: 'Add it to the PATH of your shell and of your agents, or run `entire enable --absolute-git-hook-path`.',
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
      fix: 'None needed if that is intended.',
      remedies: [],
    },
  ]
}

function isRecording({ repo, recorder }: DoctorRun): boolean {
  return isSetUp(repo.root) && recorder.settings.enabled
}

function listNames(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

/** Finds installed hooks that do not run because the user of the agent has not allowed them yet. */
export async function checkObstacles(run: DoctorRun): Promise<Finding[]> {
  if (!isRecording(run)) return []
  const installed = await findInstalledAgents(run.repo)
  const found = await Promise.all(
    installed.map(async (agent): Promise<Finding[]> => {
      const obstacle = await agent.findObstacle?.(run.repo.root, run.cli.env)
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

/** Finds sessions that no hook has reported. */
export async function checkUnreported(run: DoctorRun): Promise<Finding[]> {
  if (!isRecording(run)) return []
  const hooked = await findInstalledAgents(run.repo)
  return (await findUnreported(run.cli, run.repo, hooked)).map((session): Finding => {
    const { message, fix } = describeUnreported(session, hooked)
    return {
      id: 'session-not-reported',
      subject: session.session,
      severity: 'warning',
      title: message,
      detail: [`Its transcript grows: ${session.path}`],
      fix,
      remedies: [],
    }
  })
}

/** Finds external agents with hooks whose plugin is missing, or that the settings do not allow. */
export async function checkPlugins(run: DoctorRun): Promise<Finding[]> {
  if (!isRecording(run)) return []
  if (!run.recorder.settings.externalAgents)
    return readHookedPlugins(hookSite(run.repo)).map(disallowedPlugin)
  return (await findGonePlugins(run.repo, run.cli.env)).map(missingPlugin)
}

function disallowedPlugin({ name, type }: HookedPlugin): Finding {
  return {
    id: 'external-agents-off',
    subject: name,
    severity: 'warning',
    title: `${type} has hooks in this repository, but external agents are not allowed: its sessions are not recorded.`,
    detail: [],
    fix: `\`entire enable --agent ${name}\` allows them; \`entire agent remove ${name}\` removes its hooks.`,
    remedies: [],
  }
}

function missingPlugin(plugin: GonePlugin): Finding {
  return {
    id: 'plugin-gone',
    subject: plugin.name,
    severity: 'error',
    title: `${plugin.type} has hooks in this repository, but no usable plugin: its sessions are not recorded.`,
    detail: [plugin.why],
    fix: `Put entire-agent-${plugin.name} back. Or ${removalByHand(plugin)}, and then run \`entire agent remove ${plugin.name}\`.`,
    remedies: [],
  }
}
