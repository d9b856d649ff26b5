// Searches files for lines.
import { join } from 'node:path'
import { messageOf } from '../../../std/errors.ts'
import { findStat } from '../../../std/file.ts'
import type { LocalTool } from '../../offer.ts'
import { globMatcher } from './glob.ts'
import { type SearchJob, searchLines } from './line-search.ts'
import { projectFiles } from './project-files.ts'
import { resolvePath, type ToolContext } from './tool-context.ts'
import { defineTool, ToolFailure } from './tool-failure.ts'

const withinMs = 20_000

export function grepTool(context: ToolContext): LocalTool {
  return defineTool({
    name: 'grep',
    description: 'Searches text files for lines that fit a regular expression. Files that git ignores are left out.',
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'The regular expression.' },
        path: { type: 'string', description: 'A file or directory; the project unless said.' },
        glob: { type: 'string', description: 'Only files whose path fits this pattern, like *.ts.' },
        ignoreCase: { type: 'boolean', description: 'Whether large and small letters are the same.' },
        limit: { type: 'integer', minimum: 1, description: 'How many lines at most; 100 unless said.' },
      },
      required: ['pattern'],
    },
    backgroundSafe: true,
    async run(args, { signal }) {
      const [pattern, ignoreCase] = [args.text('pattern'), args.flag('ignoreCase')]
      checkExpression(pattern)
      const limit = args.count('limit', context.config().number('tools.grepLimit', 100))
      const files = await filesIn(resolvePath(context, args.textOr('path', '.')), args.textOr('glob', ''), context, signal)
      const found = await searchLines({ files, pattern, ignoreCase, limit }, { signal, withinMs })
      signal.throwIfAborted()
      if (!found)
        throw new ToolFailure('TIMEOUT', `the search took more than ${withinMs / 1000} s`, 'take a simpler pattern, or fewer files')
      if (found.length === 0) return 'No matches.'
      return [...found.slice(0, limit), ...(found.length > limit ? [`... and more: only the first ${limit} are shown`] : [])].join('\n')
    },
  })
}

async function filesIn(where: string, glob: string, { env }: ToolContext, signal: AbortSignal): Promise<SearchJob['files']> {
  const stat = findStat(where)
  if (!stat) throw new ToolFailure('FILE_NOT_FOUND', `${where} does not exist`)
  if (stat.isFile()) return [{ name: '', path: where }]
  const names = await projectFiles(where, env, signal)
  return names.filter(glob === '' ? () => true : globMatcher(glob)).map((name) => ({ name, path: join(where, name) }))
}

function checkExpression(pattern: string): void {
  try {
    new RegExp(pattern)
  } catch (error) {
    throw new ToolFailure('INVALID_ARGS', `pattern is no regular expression: ${messageOf(error)}`)
  }
}
