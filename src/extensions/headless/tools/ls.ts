// Lists a directory.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findStat } from '../../../std/file.ts'
import type { LocalTool } from '../../offer.ts'
import { resolvePath, type ToolContext } from './tool-context.ts'
import { defineTool } from './tool-failure.ts'

export function lsTool(context: ToolContext): LocalTool {
  return defineTool({
    name: 'ls',
    description: 'Lists a directory by name. Directories end in a slash.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The directory; the project unless said.' },
        limit: { type: 'integer', minimum: 1, description: 'How many at most; 500 unless said.' },
      },
    },
    backgroundSafe: true,
    async run(args) {
      const dir = resolvePath(context, args.textOr('path', '.'))
      const limit = args.count('limit', 500)
      const names = readdirSync(dir).sort()
      const shown = names.slice(0, limit).map((name) => (findStat(join(dir, name))?.isDirectory() ? `${name}/` : name))
      if (names.length === 0) return '(empty)'
      return [...shown, ...(names.length > limit ? [`... and ${names.length - limit} more`] : [])].join('\n')
    },
  })
}
