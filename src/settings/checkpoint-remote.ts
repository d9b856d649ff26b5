// Reads, writes and describes where checkpoints are pushed. Sessions are private: an unclear setting is
// refused, so that they stay on this machine.

import {
  type CheckpointRemote,
  type HostingProvider,
  providerHosts,
  type SettingsFile,
} from '../model/settings.ts'
import { asObject, asString, type Json, type JsonObject } from '../std/json.ts'

/** The checkpoint remote in `strategy_options`; undefined when none is set. */
export function readCheckpointRemote(options: JsonObject, file: SettingsFile): CheckpointRemote | undefined {
  const { checkpoint_remote: dedicated, checkpoint_push_remote: named } = options
  if (dedicated !== undefined && dedicated !== null) return readDedicated(dedicated, file)
  if (named === undefined || named === null || named === '') return undefined
  const name = asString(named) ?? ''
  return isRemoteName(name)
    ? { kind: 'remote', name }
    : refuse('checkpoint_push_remote is not the name of a remote')
}

function readDedicated(value: Json, file: SettingsFile): CheckpointRemote {
  const block = asObject(value)
  const [provider, repo, url] = [asString(block?.provider), asString(block?.repo), asString(block?.url)]
  if (url !== undefined) {
    // The author of the project's file must not decide where the sessions of all other users go.
    if (file === 'project')
      return refuse('a URL as checkpoint_remote is read only from .entire/settings.local.json')
    return isRemoteUrl(url) ? { kind: 'url', url } : refuse('the URL of checkpoint_remote is not valid')
  }
  if (provider === undefined || !isProvider(provider) || repo === undefined || !isRepoName(repo))
    return refuse('checkpoint_remote is not valid')
  return { kind: 'hosted', provider, repo }
}

/**
 * Parses user input: `github:owner/repo`, a URL, or the name of a remote. Undefined when it is none of them.
 */
export function parseCheckpointRemote(
  text: string,
): Exclude<CheckpointRemote, { kind: 'refused' }> | undefined {
  const [, provider = '', repo = ''] = /^([a-z]+):([^:]+)$/.exec(text) ?? []
  if (isProvider(provider) && isRepoName(repo)) return { kind: 'hosted', provider, repo }
  if (isRemoteUrl(text)) return { kind: 'url', url: text }
  return isRemoteName(text) ? { kind: 'remote', name: text } : undefined
}

/** The keys below `strategy_options`; undefined removes a key that an earlier choice has set. */
export function formatCheckpointRemote(remote: Exclude<CheckpointRemote, { kind: 'refused' }>) {
  if (remote.kind === 'remote') return { checkpoint_remote: undefined, checkpoint_push_remote: remote.name }
  const { provider, repo, url } = { provider: undefined, repo: undefined, url: undefined, ...remote }
  return { checkpoint_remote: { provider, repo, url }, checkpoint_push_remote: undefined }
}

/** The remote in messages, without a password that the URL may contain. */
export function describeCheckpointRemote(remote: CheckpointRemote): string {
  if (remote.kind === 'hosted') return `${remote.provider}:${remote.repo}`
  if (remote.kind === 'remote') return remote.name
  return remote.kind === 'url' ? remote.url.replace(/^(https?:\/\/)[^/@]*@/, '$1') : `(${remote.why})`
}

function refuse(why: string): CheckpointRemote {
  return { kind: 'refused', why }
}

function isProvider(name: string): name is HostingProvider {
  return Object.hasOwn(providerHosts, name)
}

function isRepoName(name: string): boolean {
  return /^(?![-.])[\w.-]+(?:\/(?![-.])[\w.-]+)+$/.test(name)
}

// Git takes a word that begins with a dash for an option, and runs programs for other kinds of URL.
function isRemoteUrl(url: string): boolean {
  return (
    /^(?:https?:\/\/|ssh:\/\/|file:\/\/\/)[^-\s][^\s]*$/.test(url) ||
    /^[\w.][\w.-]*@[\w][\w.-]*:[^-\s]\S*$/.test(url)
  )
}

function isRemoteName(name: string): boolean {
  return /^(?![-.])[\w./-]+$/.test(name) && !name.includes('..') && !name.startsWith('/')
}
