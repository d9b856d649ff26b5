// External agents that have hooks here, but whose sessions nobody records: the plugin is gone, or the settings do not allow it.
import { type HookNote, readHookNotes } from '../../agents/external/hook-note.ts'
import { byHand, findGonePlugins, type GonePlugin } from '../gone-plugins.ts'
import { hookSite } from '../setup.ts'
import type { Examination } from './examination.ts'
import type { Finding } from './finding.ts'
import { isRecording } from './hook-checks.ts'

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
    fix: `Put entire-agent-${plugin.name} back. Or ${byHand(plugin)}, and then run \`entire agent remove ${plugin.name}\``,
    remedies: [],
  }
}
