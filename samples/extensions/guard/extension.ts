// Guards tool calls: refuses destructive commands, asks about risky ones, and removes keys from results.
import { isAbsolute, relative, resolve } from 'node:path'
import { type Block, defineExtension } from '../../../src/sdk/extension.ts'

const destructive =
  /\brm\s+(?:-\w+\s+)*-\w*[rR]\w*\s+(?:-\w+\s+)*(?:\/|~|\$HOME)(?:\s|$)|\bmkfs\b|>\s*\/dev\/[sh]d/
const hardToUndo = /\bgit\s+push\b.*(?:--force\b|\s-f\b)|\bgit\s+reset\s+--hard\b|\bDROP\s+TABLE\b/i
const key = /\b(?:sk-[A-Za-z0-9_-]{20,}|ghp_[A-Za-z0-9]{36}|AKIA[A-Z0-9]{16})\b/g

export const guard = defineExtension({
  name: 'guard',
  version: '1.0.0',
  interceptors: {
    guard: {
      // 2000 and more is for safety: it is asked before other extensions. If it fails, the host refuses the
      // call.
      priority: 2000,
      async before({ toolName, args }, { host, cwd }) {
        if (toolName === 'write' || toolName === 'edit')
          return isInside(cwd, String(args.path ?? '')) || refuseOutside(String(args.path))
        if (toolName !== 'bash') return true
        const command = String(args.command ?? '')
        if (destructive.test(command))
          return { allow: false, preview: `Refused: \`${command}\` is destructive.` }
        if (!hardToUndo.test(command)) return true
        const { selected } = await host.askUser({
          prompt: `Really run \`${command}\`?`,
          choices: ['Run it', 'Refuse'],
        })
        return (
          selected === 'Run it' || {
            allow: false,
            preview: `The user refused \`${command}\`. Find another way, or ask.`,
          }
        )
      },
      after({ content }) {
        const clean = content.map(withoutKeys)
        return clean.some((block, at) => block !== content[at]) ? { content: clean } : undefined
      },
    },
  },
})

function isInside(cwd: string, path: string): boolean {
  const fromProject = relative(cwd, resolve(cwd, path))
  return !fromProject.startsWith('..') && !isAbsolute(fromProject)
}

function refuseOutside(path: string) {
  return { allow: false, preview: `Refused: ${path} is outside of the project.` }
}

function withoutKeys(block: Block): Block {
  if (block.type !== 'text') return block
  const text = block.text.replace(key, '[key removed]')
  return text === block.text ? block : { ...block, text }
}
