// Finds values to complete: few, newest first, and with at most one process each, to answer Tab at once.

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
  /** A description, for shells that show one. */
  about: string
}

export interface CompletionRequest {
  cli: Cli
  /** The beginning of the word that is being typed. */
  partial: string
  /** The words before it, without the name of the program. */
  words: string[]
}

export type CompletionSource = (request: CompletionRequest) => Promise<Completion[]> | Completion[]

const maxCompletions = 50

const inRepo =
  (find: (repo: Repo, request: CompletionRequest) => Promise<Completion[]>): CompletionSource =>
  (request) => {
    const repo = findRepo(request.cli.cwd, request.cli.env)
    return repo === undefined ? [] : find(repo, request)
  }

// Without the branches of this program, which are of no use to a person.
const branches = inRepo(async (repo) => {
  const format = '--format=%(refname:short)%09%(contents:subject)'
  const found = await gitLines(repo, [
    'for-each-ref',
    '--sort=-committerdate',
    `--count=${2 * maxCompletions}`,
    format,
    'refs/heads',
  ])
  return found.filter(({ value }) => !value.startsWith('entire/')).slice(0, maxCompletions)
})

const sessions = inRepo(async (repo) => {
  const { listSessions } = await import('../../sessions/store.ts')
  return listSessions(repo)
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
    .slice(0, maxCompletions)
    .map(({ id, agentType, firstPrompt }) => ({
      value: id,
      about: [agentType, firstPrompt].filter(Boolean).join(' · '),
    }))
})

// With nothing typed, the newest ones by their commits; else all ids that begin with what was typed.
const checkpoints = inRepo(async (repo, { partial }) => {
  if (partial === '') {
    const lines = await gitLines(repo, [
      'log',
      `--max-count=${maxCompletions}`,
      '--format=%s%x09%cr',
      metadataRef,
    ])
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
  return isShadowRef(ref)
    ? gitLines(repo, ['log', `--max-count=${maxCompletions}`, '--format=%h%x09%s', ref])
    : []
})

const remotes = inRepo(async (repo) => [
  ...(await gitLines(repo, ['remote'])),
  { value: 'github:', about: 'a repository on GitHub: github:owner/repo' },
])

const targets: CompletionSource = async (request) =>
  (await Promise.all([branches, sessions, checkpoints].map((source) => source(request)))).flat()

// No secret is ever proposed.
const purgeable: CompletionSource = async (request) =>
  (await Promise.all([sessions, checkpoints].map((source) => source(request)))).flat()

const keys: CompletionSource = async () => {
  const { settingKeys } = await import('../configure/setting-keys.ts')
  return settingKeys.map(({ name, meaning }) => ({ value: name, about: meaning }))
}

// The values of the setting that was just named.
const settingValues: CompletionSource = async ({ words }) => {
  const { findKey } = await import('../configure/setting-keys.ts')
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
  backend: () => ['branch', 'refs'].map((value) => ({ value, about: '' })),
  branch: branches,
  checkpoint: checkpoints,
  commit: branches,
  dir: files,
  executable: files,
  file: files,
  key: keys,
  language: async () => {
    const { agentLanguages } = await import('../../sdk/scaffold/template.ts')
    return agentLanguages.map((value) => ({ value, about: '' }))
  },
  level: () => logLevels.map((value) => ({ value, about: '' })),
  ref: branches,
  'secret-or-id': purgeable,
  remote: remotes,
  session: sessions,
  step: steps,
  target: targets,
  value: settingValues,
}

// What the placeholder `id` stands for, by command.
const ids: Record<string, CompletionSource> = {
  session: sessions,
  explain: checkpoints,
  rewind: steps,
  diff: steps,
  doctor: sessions,
  clean: sessions,
  reset: sessions,
}

/** `names`: of the flag, and of the placeholder in the help. */
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
