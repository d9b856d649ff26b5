// Defines the `read`, `ls` and `find` tools, which show a file, a directory, and files whose paths match a
// pattern.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalTool } from '../../extensions/registry.ts'
import { findStat } from '../../std/file.ts'
import { defineLocalTool, ToolFailure } from './define-tool.ts'
import { globMatcher, projectFiles } from './project-files.ts'
import { noteSeen, requireRegular, resolvePath, type ToolContext } from './tool-context.ts'

const maxBytes = 50 * 1024 * 1024
/** A file with endless lines would fill the conversation, and not fit into a session file. */
const maxShown = 1_000_000

export function readTool(context: ToolContext): LocalTool {
  return defineLocalTool({
    name: 'read',
    description: 'Reads a text file. Every line has its number in front of it.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file.' },
        offset: { type: 'integer', minimum: 1, description: 'The first line, counted from 1.' },
        limit: { type: 'integer', minimum: 1, description: 'How many lines at most.' },
      },
      required: ['path'],
    },
    backgroundSafe: true,
    async run(args) {
      const path = resolvePath(context, args.text('path'))
      const offset = args.count('offset', 1)
      const limit = args.count('limit', context.config().number('tools.readLimit', 2000))
      requireRegular(path, maxBytes)
      const bytes = readFileSync(path)
      if (bytes.subarray(0, 8192).includes(0))
        throw new ToolFailure('INVALID_ARGS', `${path} is not text: it contains zero bytes`)
      noteSeen(context, path)
      const lines = bytes.toString('utf8').split('\n')
      if (lines.at(-1) === '') lines.pop()
      const shown = lines.slice(offset - 1, offset - 1 + limit).map((line, at) => `${offset + at}\t${line}`)
      const rest = lines.length - (offset - 1 + shown.length)
      const text = shown.join('\n')
      if (text.length > maxShown)
        return `${text.slice(0, maxShown)}\n... ${text.length - maxShown} more characters: the lines are too long to show`
      return [text, ...(rest > 0 ? [`... ${rest} more lines, from ${offset + shown.length} on`] : [])].join(
        '\n',
      )
    },
  })
}

export function lsTool(context: ToolContext): LocalTool {
  return defineLocalTool({
    name: 'ls',
    description: 'Lists a directory by name. Directories end in a slash.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The directory; the project by default.' },
        limit: { type: 'integer', minimum: 1, description: 'How many at most; 500 by default.' },
      },
    },
    backgroundSafe: true,
    async run(args) {
      const dir = resolvePath(context, args.textOr('path', '.'))
      const limit = args.count('limit', 500)
      const names = readdirSync(dir).sort()
      const shown = names
        .slice(0, limit)
        .map((name) => (findStat(join(dir, name))?.isDirectory() ? `${name}/` : name))
      if (names.length === 0) return '(empty)'
      return [...shown, ...(names.length > limit ? [`... and ${names.length - limit} more`] : [])].join('\n')
    },
  })
}

export function findTool(context: ToolContext): LocalTool {
  return defineLocalTool({
    name: 'find',
    description:
      'Lists files whose path matches a pattern like *.ts or src/**/*.test.ts. Files that git ignores are left out.',
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'The pattern.' },
        path: { type: 'string', description: 'Where to look; the project by default.' },
        limit: { type: 'integer', minimum: 1, description: 'How many at most; 1000 by default.' },
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
      return [
        ...found.slice(0, limit),
        ...(found.length > limit ? [`... and ${found.length - limit} more`] : []),
      ].join('\n')
    },
  })
}
