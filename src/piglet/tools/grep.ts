// Defines the `grep` tool, which searches files for lines that match a regular expression.

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { LocalTool } from '../../extensions/registry.ts'
import { messageOf } from '../../std/errors.ts'
import { findStat } from '../../std/file.ts'
import { defineLocalTool, ToolFailure } from './define-tool.ts'
import { globMatcher, projectFiles } from './project-files.ts'
import { resolvePath, type ToolContext } from './tool-context.ts'

const withinMs = 20_000

export function grepTool(context: ToolContext): LocalTool {
  return defineLocalTool({
    name: 'grep',
    description:
      'Searches text files for lines that match a regular expression. Files that git ignores are left out.',
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'The regular expression.' },
        path: { type: 'string', description: 'A file or directory; the project by default.' },
        glob: { type: 'string', description: 'Only files whose path matches this pattern, like *.ts.' },
        ignoreCase: { type: 'boolean', description: 'Whether upper and lower case are the same.' },
        limit: { type: 'integer', minimum: 1, description: 'How many lines at most; 100 by default.' },
      },
      required: ['pattern'],
    },
    backgroundSafe: true,
    async run(args, { signal }) {
      const [pattern, ignoreCase] = [args.text('pattern'), args.flag('ignoreCase')]
      checkExpression(pattern)
      const limit = args.count('limit', context.config().number('tools.grepLimit', 100))
      const files = await filesIn(
        resolvePath(context, args.textOr('path', '.')),
        args.textOr('glob', ''),
        context,
        signal,
      )
      const found = await searchLines({ files, pattern, ignoreCase, limit }, { signal, withinMs })
      signal.throwIfAborted()
      if (!found)
        throw new ToolFailure(
          'TIMEOUT',
          `the search took more than ${withinMs / 1000} s`,
          'use a simpler pattern, or fewer files',
        )
      if (found.length === 0) return 'No matches.'
      return [
        ...found.slice(0, limit),
        ...(found.length > limit ? [`... and more: only the first ${limit} are shown`] : []),
      ].join('\n')
    },
  })
}

async function filesIn(
  where: string,
  glob: string,
  { env }: ToolContext,
  signal: AbortSignal,
): Promise<SearchJob['files']> {
  const stat = findStat(where)
  if (!stat) throw new ToolFailure('FILE_NOT_FOUND', `${where} does not exist`)
  if (stat.isFile()) return [{ name: '', path: where }]
  const names = await projectFiles(where, env, signal)
  return names
    .filter(glob === '' ? () => true : globMatcher(glob))
    .map((name) => ({ name, path: join(where, name) }))
}

function checkExpression(pattern: string): void {
  try {
    new RegExp(pattern)
  } catch (error) {
    throw new ToolFailure('INVALID_ARGS', `pattern is not a regular expression: ${messageOf(error)}`)
  }
}

export interface SearchJob {
  /** The name to show, and the path to read. */
  files: { name: string; path: string }[]
  pattern: string
  ignoreCase: boolean
  limit: number
}

/** Longer lines were not written by a person. */
const limits = { fileBytes: 10 * 1024 * 1024, searched: 10_000, shown: 300 }

/**
 * Searches in a thread, because some expressions take forever on a single line. Returns one line more than
 * the limit, if there are that many; undefined when it took too long.
 */
export async function searchLines(
  job: SearchJob,
  options: { signal: AbortSignal; withinMs: number },
): Promise<string[] | undefined> {
  const worker = new Worker(program, { eval: true, workerData: { ...job, limits } })
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopped = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), options.withinMs)
    options.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const found = new Promise<string[]>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  try {
    return await Promise.race([found, stopped])
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

/** Runs in the thread, so it can use nothing but its arguments. */
function search(job: SearchJob & { limits: typeof limits }, read: (path: string) => Buffer): string[] {
  const expression = new RegExp(job.pattern, job.ignoreCase ? 'i' : '')
  const found: string[] = []
  for (const { name, path } of job.files) {
    let bytes: Buffer
    try {
      bytes = read(path)
    } catch {
      continue
    }
    if (bytes.length > job.limits.fileBytes || bytes.subarray(0, 8192).includes(0)) continue
    for (const [at, line] of bytes.toString('utf8').split('\n').entries()) {
      if (!expression.test(line.slice(0, job.limits.searched))) continue
      found.push(`${name === '' ? '' : `${name}:`}${at + 1}:${line.slice(0, job.limits.shown)}`)
      if (found.length > job.limit) return found
    }
  }
  return found
}

// As text, because a program compiled to one file has no second file for a thread to load.
const program = `const { parentPort, workerData } = require('node:worker_threads')
const { readFileSync } = require('node:fs')
parentPort.postMessage((${search.toString()})(workerData, readFileSync))`
