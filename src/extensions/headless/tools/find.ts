// Finds files by their paths.
import type { LocalTool } from '../../offer.ts'
import { globMatcher } from './glob.ts'
import { projectFiles } from './project-files.ts'
import { resolvePath, type ToolContext } from './tool-context.ts'
import { defineTool } from './tool-failure.ts'

export function findTool(context: ToolContext): LocalTool {
  return defineTool({
    name: 'find',
    description: 'Lists files whose path fits a pattern like *.ts or src/**/*.test.ts. Files that git ignores are left out.',
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'The pattern.' },
        path: { type: 'string', description: 'Where to look; the project unless said.' },
        limit: { type: 'integer', minimum: 1, description: 'How many at most; 1000 unless said.' },
      },
      required: ['pattern'],
    },
    backgroundSafe: true,
    async run(args, { signal }) {
      const matches = globMatcher(args.text('pattern'))
      const limit = args.count('limit', 1000)
      const files = await projectFiles(resolvePath(context, args.textOr('path', '.')), context.env, signal)
      const found = files.filter(matches)
      if (found.length === 0) return 'No files found.'
      return [...found.slice(0, limit), ...(found.length > limit ? [`... and ${found.length - limit} more`] : [])].join('\n')
    },
  })
}
