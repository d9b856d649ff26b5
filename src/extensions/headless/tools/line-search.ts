// Searches files in a thread of its own: there are expressions that take a lifetime on a single line, and nobody may wait for them.
import { Worker } from 'node:worker_threads'

export interface SearchJob {
  /** What is shown of a file, and where it is. */
  files: { name: string; path: string }[]
  pattern: string
  ignoreCase: boolean
  limit: number
}

/** Longer lines are nobody's writing. */
const limits = { fileBytes: 10 * 1024 * 1024, searched: 10_000, shown: 300 }

/** One line more than the limit, if there are so many. Undefined when it took too long. */
export async function searchLines(job: SearchJob, options: { signal: AbortSignal; withinMs: number }): Promise<string[] | undefined> {
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

/** Runs in the thread, so it has nothing but what it is given. */
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

// As text, because a program in one file has no second file that a thread could load.
const program = `const { parentPort, workerData } = require('node:worker_threads')
const { readFileSync } = require('node:fs')
parentPort.postMessage((${search.toString()})(workerData, readFileSync))`
