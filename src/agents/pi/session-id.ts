// Pi names the file of a session after its id, except for those of subagents: their directories tell them apart.
import { basename, dirname } from 'node:path'

/** `<time>_<id>.jsonl`, or `<time>_<parent id>/<subagent>/<run>/session.jsonl`. */
export function sessionIdOf(file: string): string | undefined {
  const path = file.replaceAll('\\', '/')
  const name = basename(path).replace(/\.jsonl?$/, '')
  return (name === 'session' ? subagentId(dirname(path)) : undefined) ?? afterLastUnderscore(name)
}

function subagentId(runDir: string): string | undefined {
  const subagentDir = dirname(runDir)
  const parent = afterLastUnderscore(basename(dirname(subagentDir)))
  const parts = [parent, basename(subagentDir), basename(runDir)]
  return parts.every((part) => part !== undefined && /^[\w-][\w.-]*$/.test(part)) ? parts.join('_') : undefined
}

function afterLastUnderscore(name: string): string | undefined {
  return name.slice(name.lastIndexOf('_') + 1) || undefined
}
