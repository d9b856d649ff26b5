// `entire hooks git <hook>`: git runs these through the scripts we installed.
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { findHookRepo } from '../../git/repo.ts'
import { type Answer, dropLoneTrailer, linkCommit, messageFile } from '../../session/link-commit.ts'
import { readLive } from '../../session/live.ts'
import { postCommit } from '../../session/post-commit.ts'
import { postRewrite } from '../../session/post-rewrite.ts'
import { isSetUp } from '../../session/settings.ts'
import type { Recorder } from '../../session/work.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { writeAtomic } from '../../std/file.ts'
import { createRecorder } from '../recorder.ts'
import { isDevice } from '../streams.ts'

type GitHook = (recorder: Recorder, args: string[]) => Promise<void> | void

const hooks: Record<string, GitHook> = {
  'prepare-commit-msg': async (recorder, [path = '', source = '']) => {
    let always = false
    await linkCommit(recorder, message(path), {
      source,
      ask: (question) => askOnTerminal(recorder, question),
      rememberAlways: () => {
        always = true
      },
    })
    if (!always) return
    const { changeSettings } = await import('../settings-file.ts')
    changeSettings(recorder.repo.root, 'local', { commit_linking: 'always' })
  },
  'commit-msg': (_recorder, [path = '']) => dropLoneTrailer(message(path)),
  'post-commit': (recorder) => postCommit(recorder),
  'pre-push': async (recorder, [remote = '']) => {
    const { pushCheckpoints } = await import('../../session/push.ts')
    await pushCheckpoints(recorder, remote, await readStdin())
  },
  'post-rewrite': async (recorder, [kind = '']) => postRewrite(recorder, kind, await readStdin()),
}

/** Those that read transcripts, of the sessions that are going on. */
const asksAgents = ['prepare-commit-msg', 'post-commit']

export async function runGitHook(name: string, args: string[]): Promise<void> {
  const hook = hooks[name]
  if (hook === undefined)
    throw new EntireError('unknown-hook', `Git hook ${JSON.stringify(name)} is not one of ours.`, {
      hint: `Ours: ${Object.keys(hooks).join(', ')}.`,
    })
  const repo = findHookRepo(process.cwd(), process.env)
  if (repo === undefined || !isSetUp(repo.root)) return
  const recorder = createRecorder(repo, { component: 'git-hooks' })
  if (!recorder.settings.enabled) return
  if (recorder.settings.externalAgents && asksAgents.includes(name) && readLive(repo).sessions.size > 0)
    await (await import('../external-agents.ts')).loadExternalAgents(repo, process.env, { hurried: true })
  try {
    await hook(recorder, args)
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

// Replaced, not written over: on a full disk the user's message would be gone, and the commit with it.
function message(path: string) {
  return messageFile(resolve(path), (file, text) => writeAtomic(file, text, { mode: statSync(file).mode & 0o777 }))
}

function askOnTerminal({ env }: Recorder, question: string): Answer {
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
