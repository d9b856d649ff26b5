// What can stand for a value on the command line, here and now. Asked at every press of Tab: few, newest first, one process each at most.

import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { agents } from '../../agents/all.ts'
import { isShadowRef, metadataRef, shadowRef } from '../../checkpoints/layout.ts'
import { git } from '../../git/exec.ts'
import { findRepo, type Repo } from '../../git/repo.ts'
import { strategies } from '../../model/settings.ts'
import { logLevels } from '../../std/log.ts'
import type { Cli } from '../context.ts'

export interface Completion {
  value: string
  /** What it is, for shells that show it. */
  about: string
}

export interface CompletionRequest {
  cli: Cli
  /** What is typed of it. */
  partial: string
  /** The words before it, without the program. */
  words: string[]
}

export type CompletionSource = (asked: CompletionRequest) => Promise<Completion[]> | Completion[]

const most = 50

const inRepo =
  (find: (repo: Repo, asked: CompletionRequest) => Promise<Completion[]>): CompletionSource =>
  (asked) => {
    const repo = findRepo(asked.cli.cwd, asked.cli.env)
    return repo === undefined ? [] : find(repo, asked)
  }

// Ours among them are nothing to go to.
const branches = inRepo(async (repo) => {
  const format = '--format=%(refname:short)%09%(contents:subject)'
  const found = await gitLines(repo, [
    'for-each-ref',
    '--sort=-committerdate',
    `--count=${2 * most}`,
    format,
    'refs/heads',
  ])
  return found.filter(({ value }) => !value.startsWith('entire/')).slice(0, most)
})

const sessions = inRepo(async (repo) => {
  const { listSessions } = await import('../../sessions/store.ts')
  return listSessions(repo)
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
    .slice(0, most)
    .map(({ id, agentType, firstPrompt }) => ({
      value: id,
      about: [agentType, firstPrompt].filter(Boolean).join(' · '),
    }))
})

// With nothing typed, the newest few by their commits; else all that begin like it, however many there are.
const checkpoints = inRepo(async (repo, { partial }) => {
  if (partial === '') {
    const lines = await gitLines(repo, ['log', `--max-count=${most}`, '--format=%s%x09%cr', metadataRef])
    return lines.flatMap(({ value, about }) => {
      const id = /^(?:Finalize transcript for )?Checkpoint: (\S+)$/.exec(value)?.[1]
      return id === undefined ? [] : [{ value: id, about }]
    })
  }
  const [{ findCheckpointIds }, { openObjectReader }] = await Promise.all([
    import('../../checkpoints/read.ts'),
    import('../../git/cat-file.ts'),
  ])
  await using objects = openObjectReader(repo)
  return (await findCheckpointIds(repo, objects, partial)).map((value) => ({ value, about: 'checkpoint' }))
})

const steps = inRepo(async (repo) => {
  const [head] = await gitLines(repo, ['rev-parse', 'HEAD'])
  const ref = shadowRef(head?.value ?? '', repo.worktreeId)
  return isShadowRef(ref) ? gitLines(repo, ['log', `--max-count=${most}`, '--format=%h%x09%s', ref]) : []
})

const remotes = inRepo(async (repo) => [
  ...(await gitLines(repo, ['remote'])),
  { value: 'github:', about: 'a repository there: github:owner/repo' },
])

const targets: CompletionSource = async (asked) =>
  (await Promise.all([branches, sessions, checkpoints].map((source) => source(asked)))).flat()

const keys: CompletionSource = async () => {
  const { settingKeys } = await import('../configure/keys.ts')
  return settingKeys.map(({ name, meaning }) => ({ value: name, about: meaning }))
}

// The value of the setting that was just named.
const settingValues: CompletionSource = async ({ words }) => {
  const { findKey } = await import('../configure/keys.ts')
  const name = words.findLast((word) => !word.startsWith('-')) ?? ''
  return findKey(name).choices.map((value) => ({ value, about: name }))
}

const files: CompletionSource = ({ cli, partial }) => {
  const dir = partial.slice(0, partial.lastIndexOf('/') + 1)
  return readdirSync(resolve(cli.cwd, dir), { withFileTypes: true }).map((entry) => ({
    value: `${dir}${entry.name}${entry.isDirectory() ? '/' : ''}`,
    about: '',
  }))
}

const byName: Record<string, CompletionSource> = {
  agent: () => agents.map(({ name, description }) => ({ value: name, about: description })),
  strategy: () => strategies.map((value) => ({ value, about: '' })),
  branch: branches,
  checkpoint: checkpoints,
  commit: branches,
  dir: files,
  executable: files,
  file: files,
  key: keys,
  language: async () => {
    const { scaffoldLanguages } = await import('../../sdk/scaffold/template.ts')
    return scaffoldLanguages.map((value) => ({ value, about: '' }))
  },
  level: () => logLevels.map((value) => ({ value, about: '' })),
  ref: branches,
  remote: remotes,
  session: sessions,
  step: steps,
  target: targets,
  value: settingValues,
}

// What an `id` is the id of, by command.
const ids: Record<string, CompletionSource> = {
  session: sessions,
  explain: checkpoints,
  rewind: steps,
  doctor: sessions,
  clean: sessions,
  reset: sessions,
}

/** For a value of a command, by the name of its flag, else by the word that stands for it in the help. */
export function findSource(command: string, names: (string | undefined)[]): CompletionSource | undefined {
  const found = names.map((name = '') =>
    name === 'id' ? ids[command] : Object.hasOwn(byName, name) ? byName[name] : undefined,
  )
  return found.find((source) => source !== undefined)
}

async function gitLines(repo: Repo, args: string[]): Promise<Completion[]> {
  const { stdout } = await git(repo, args, { accept: [1, 2, 128, 129] })
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [value = '', about = ''] = line.split('\t')
      return { value, about }
    })
}
