// Runs `entire hooks git <hook>`, which the installed hook scripts of git call.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { MessageFile } from '../../commits/link.ts'
import { prefetchMadeCommit, prefetchStagedCommit, type StagedCommit } from '../../commits/prefetch.ts'
import type { PrefetchedCatFile } from '../../git/cat-file-process.ts'
import { hookTable } from '../../git/hooks/names.ts'
import { findHookRepo, type Repo } from '../../git/repo.ts'
import type { Settings } from '../../model/settings.ts'
import type { Recorder } from '../../sessions/event-work.ts'
import { isSetUp, readUsableSettings } from '../../settings/read.ts'
import { messageOf, requires, unknownName, useOneOf } from '../../std/errors.ts'
import { appendWhole, readText, writeAtomic } from '../../std/file.ts'
import { parsePushed } from '../../sync/pushed-refs.ts'
import { isDevice } from '../streams.ts'

/** Returns the exit code. */
export async function runGitHook(name: string, args: string[], catFile?: PrefetchedCatFile): Promise<number> {
  const hook = hooks[name]
  if (name === '') throw requires('hooks git', 'the name of a hook', useOneOf(Object.keys(hooks)))
  if (hook === undefined) throw unknownName('git hook', name, useOneOf(Object.keys(hooks)), 'unknown-hook')
  const repo = findHookRepo(process.cwd(), process.env)
  if (repo === undefined || !isSetUp(repo.root)) return 0
  const input = readsInput.includes(name) ? await readStdin() : ''
  const settings = readUsableSettings(repo.root)
  if (name === 'pre-push' && (await stopsPush(repo, args[0] ?? '', input, settings.settings)))
    return hookTable['pre-push'].stopCode
  if (!settings.settings.enabled) return 0
  const run = hook(repo, { args, input }, catFile)
  const { systemRecorder } = await import('../recorder.ts')
  const recorder = systemRecorder(repo, { component: 'git-hooks' }, settings)
  if (
    recorder.settings.externalAgents &&
    readsTranscripts.includes(name) &&
    (await import('../../sessions/live-index.ts')).readLive(repo).sessions.size > 0
  )
    await (await import('../external-agents.ts')).loadExternalAgents(repo, process.env, { hurried: true })
  try {
    // Lets the answers that git has given meanwhile arrive.
    await new Promise((resolve) => setImmediate(resolve))
    await run(recorder)
    recorder.trace.mark('work')
    recorder.log.write('info', `git ${name}`, { ms: recorder.trace.total(), phases: recorder.trace.text() })
    return 0
  } catch (error) {
    recorder.log.write('error', messageOf(error), { hook: name })
    throw error
  }
}

/** The hooks to which git writes on standard input. */
const readsInput = ['pre-push', 'post-rewrite']

/** The hooks that read the transcripts of running sessions. */
const readsTranscripts = ['prepare-commit-msg', 'post-commit']

/**
 * Starts to ask git at once; the function it returns does the work when the rest of the program is loaded.
 */
type GitHook = (
  repo: Repo,
  call: { args: string[]; input: string },
  catFile: PrefetchedCatFile | undefined,
) => (recorder: Recorder) => Promise<void>

const hooks: Record<string, GitHook> = {
  'prepare-commit-msg': (repo, { args: [path = '', source = ''] }, catFile) => {
    const staged = prefetchStagedCommit(repo, source, catFile)
    return (recorder) => linkCommit(recorder, path, source, staged)
  },
  'commit-msg':
    (_repo, { args: [path = ''] }) =>
    async () =>
      (await import('../../commits/link.ts')).dropLoneTrailer(messageFile(path)),
  'post-commit': (repo, _call, catFile) => {
    const made = prefetchMadeCommit(repo, catFile)
    return async (recorder) => (await import('../../commits/post-commit.ts')).postCommit(recorder, made)
  },
  'pre-push':
    (_repo, { args: [remote = ''], input }) =>
    async (recorder) => {
      const { isDryRun, isForced } = await (await import('./push-process.ts')).readPushCall()
      if (isDryRun) return
      const { pushCheckpoints } = await import('../../sync/push.ts')
      await pushCheckpoints(recorder, { remote, isForced, pushed: parsePushed(input) })
    },
  'post-rewrite':
    (_repo, { args: [kind = ''], input }) =>
    async (recorder) =>
      (await import('../../commits/rewrite.ts')).postRewrite(recorder, kind, input),
}

/** A refspec, and not the path of a remote. */
const namesCheckpoints =
  /(?:^\+?(?:refs\/[^:]*|\w[\w.-]*\/)?|:refs\/[^:]*)entire\/(?:checkpoints|sessions)|^\+?refs\/notes\/entire-/

async function stopsPush(repo: Repo, remote: string, input: string, settings: Settings): Promise<boolean> {
  const [{ openObjectReader }, { explainStop }, { write }, { cleanLines }] = await Promise.all([
    import('../../git/cat-file.ts'),
    import('../../sync/push-guard.ts'),
    import('../streams.ts'),
    import('../render/text.ts'),
  ])
  await using objects = openObjectReader(repo)
  const pushed = parsePushed(input)
  const lines = await explainStop({ repo, objects, remote }, pushed, async () => {
    // Git tells its hook which refs are pushed, and not that a pattern meant them.
    const { words } = await (await import('./push-process.ts')).readPushCall()
    const isNamed = words?.some((word) => namesCheckpoints.test(word) && !word.includes('*'))
    if (isNamed ?? pushed.length === 1) return undefined
    return await (await import('../../sync/push.ts')).whyNotThere(repo, settings, remote)
  })
  for (const line of lines ?? []) write(2, `[entire] ${cleanLines(line)}\n`)
  return lines !== undefined
}

async function linkCommit(
  recorder: Recorder,
  path: string,
  source: string,
  staged: StagedCommit,
): Promise<void> {
  const { linkCommit: link } = await import('../../commits/link.ts')
  let always = false
  await link(recorder, messageFile(path), {
    source,
    staged,
    ask: async (question) => (await import('./link-question.ts')).askOnTerminal(recorder.env, question),
    rememberAlways: () => {
      always = true
    },
  })
  if (!always) return
  const { changeSettings } = await import('../../settings/write.ts')
  changeSettings(recorder.repo.root, 'local', { commit_linking: 'always' })
}

// A terminal, when the hook is called by hand, would never end.
function readStdin(): Promise<string> | string {
  return isDevice(0) ? '' : Bun.stdin.text()
}

// Appends or replaces by rename, and never overwrites: on a full disk the user's message would be lost, and
// the commit with it.
function messageFile(path: string): MessageFile {
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
