// `entire hooks git <hook>`: git runs these through the scripts we installed.

import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { LinkAnswer, MessageFile } from '../../commits/link.ts'
import { type PrefetchedLink, prefetchCommit, prefetchLink } from '../../commits/prefetch.ts'
import type { PrefetchedCatFile } from '../../git/cat-file-process.ts'
import { findHookRepo, type Repo } from '../../git/repo.ts'
import type { Recorder } from '../../sessions/work.ts'
import { isSetUp, readHookSettings } from '../../settings/read.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { appendWhole, readText, writeAtomic } from '../../std/file.ts'
import { isDevice } from '../streams.ts'

/** Asks git at once what is going to be needed, and gives what is to be done when the rest of the program is loaded. */
type GitHook = (
  repo: Repo,
  args: string[],
  early: PrefetchedCatFile | undefined,
) => (recorder: Recorder) => Promise<void>

const hooks: Record<string, GitHook> = {
  'prepare-commit-msg': (repo, [path = '', source = ''], early) => {
    const begun = prefetchLink(repo, source, early)
    return (recorder) => linkCommit(recorder, path, source, begun)
  },
  'commit-msg':
    (_repo, [path = '']) =>
    async () =>
      (await import('../../commits/link.ts')).dropLoneTrailer(message(path)),
  'post-commit': (repo, _args, early) => {
    const begun = prefetchCommit(repo, early)
    return async (recorder) => (await import('../../commits/post-commit.ts')).postCommit(recorder, begun)
  },
  'pre-push':
    (_repo, [remote = '']) =>
    async (recorder) =>
      (await import('../../sync/push.ts')).pushCheckpoints(recorder, remote, await readStdin()),
  'post-rewrite':
    (_repo, [kind = '']) =>
    async (recorder) =>
      (await import('../../commits/rewrite.ts')).postRewrite(recorder, kind, await readStdin()),
}

async function linkCommit(
  recorder: Recorder,
  path: string,
  source: string,
  begun: PrefetchedLink | undefined,
): Promise<void> {
  const { linkCommit: link } = await import('../../commits/link.ts')
  let always = false
  await link(recorder, message(path), {
    source,
    prefetched: begun,
    ask: (question) => askOnTerminal(recorder, question),
    rememberAlways: () => {
      always = true
    },
  })
  if (!always) return
  const { changeSettings } = await import('../../settings/write.ts')
  changeSettings(recorder.repo.root, 'local', { commit_linking: 'always' })
}

/** Those that read transcripts, of the sessions that are going on. */
const asksAgents = ['prepare-commit-msg', 'post-commit']

export async function runGitHook(name: string, args: string[], early?: PrefetchedCatFile): Promise<void> {
  const hook = hooks[name]
  if (hook === undefined)
    throw new EntireError('unknown-hook', `Git hook ${JSON.stringify(name)} is not one of ours.`, {
      hint: `Ours: ${Object.keys(hooks).join(', ')}.`,
    })
  const repo = findHookRepo(process.cwd(), process.env)
  if (repo === undefined || !isSetUp(repo.root)) return
  const settings = readHookSettings(repo.root)
  if (!settings.settings.enabled) return
  const run = hook(repo, args, early)
  const { systemRecorder: createRecorder } = await import('../recorder.ts')
  const recorder = createRecorder(repo, { component: 'git-hooks' }, settings)
  if (
    recorder.settings.externalAgents &&
    asksAgents.includes(name) &&
    (await import('../../sessions/live-index.ts')).readLive(repo).sessions.size > 0
  )
    await (await import('../external-agents.ts')).loadExternalAgents(repo, process.env, { hurried: true })
  try {
    // What git has answered meanwhile is heard now.
    await new Promise((resolve) => setImmediate(resolve))
    await run(recorder)
    recorder.trace.mark('work')
    recorder.log.write('info', `git ${name}`, { ms: recorder.trace.total(), phases: recorder.trace.text() })
  } catch (error) {
    recorder.log.write('error', messageOf(error), { hook: name })
    throw error
  }
}

// By hand there may be a terminal, which never ends.
function readStdin(): Promise<string> | string {
  return isDevice(0) ? '' : Bun.stdin.text()
}

// Added to or replaced, not written over: on a full disk the user's message would be gone, and the commit with it.
function message(path: string): MessageFile {
  const file = resolve(path)
  let before: string | undefined
  return {
    read() {
      before = readText(file) ?? ''
      return before
    },
    write(text) {
      if (before !== undefined && text.startsWith(before)) appendWhole(file, text.slice(before.length))
      else writeAtomic(file, text, { mode: statSync(file).mode & 0o777 })
    },
  }
}

function askOnTerminal({ env }: Recorder, question: string): LinkAnswer {
  if (env.ENTIRE_TEST_TTY) return 'yes'
  let fd: number
  try {
    fd = openSync('/dev/tty', 'r+')
  } catch {
    return 'yes'
  }
  try {
    writeSync(fd, question)
    const buffer = Buffer.alloc(256)
    const answer = buffer.subarray(0, readSync(fd, buffer)).toString('utf8').trim().toLowerCase()
    if (answer === 'n' || answer === 'no') return 'no'
    return answer === 'a' || answer === 'always' ? 'always' : 'yes'
  } catch {
    return 'yes'
  } finally {
    closeSync(fd)
  }
}
