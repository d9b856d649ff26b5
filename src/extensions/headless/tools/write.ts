// Writes a whole file.
import { findStat, readText } from '../../../std/file.ts'
import type { LocalTool } from '../../offer.ts'
import { changeFile } from './change-file.ts'
import { requireFresh, type ToolContext, targetPath } from './tool-context.ts'
import { defineTool, ToolFailure } from './tool-failure.ts'

export function writeTool(context: ToolContext): LocalTool {
  return defineTool({
    name: 'write',
    description: 'Writes a file, and the directories it is in. What was in it is replaced.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file.' },
        content: { type: 'string', description: 'Everything that is to be in it.' },
      },
      required: ['path', 'content'],
    },
    async run(args) {
      const path = targetPath(context, args.text('path'))
      const content = args.text('content')
      const stat = findStat(path)
      if (stat && !stat.isFile()) throw new ToolFailure('NOT_REGULAR_FILE', `${path} is not a regular file`)
      requireFresh(context, path)
      const details = changeFile(context, path, readText(path) ?? '', content)
      return { text: `${stat ? 'Replaced' : 'Created'} ${path} (${Buffer.byteLength(content)} bytes).`, details }
    },
  })
}
