import { expect, test } from 'bun:test'
import {
  describeCheckpointRemote,
  formatCheckpointRemote,
  parseCheckpointRemote,
  readCheckpointRemote,
} from './checkpoint-remote.ts'

test.each([
  ['github:acme/private', { kind: 'hosted', provider: 'github', repo: 'acme/private' }],
  ['gitlab:group/sub/repo', { kind: 'hosted', provider: 'gitlab', repo: 'group/sub/repo' }],
  ['https://example.com/a/b.git', { kind: 'url', url: 'https://example.com/a/b.git' }],
  ['git@example.com:a/b.git', { kind: 'url', url: 'git@example.com:a/b.git' }],
  ['ssh://git@example.com:2222/a/b', { kind: 'url', url: 'ssh://git@example.com:2222/a/b' }],
  ['file:///srv/git/b.git', { kind: 'url', url: 'file:///srv/git/b.git' }],
  ['private', { kind: 'remote', name: 'private' }],
  ['team/private', { kind: 'remote', name: 'team/private' }],
] as const)('%s is understood, and what is written is read back', (text, expected) => {
  const remote = parseCheckpointRemote(text)
  expect(remote).toEqual(expected)
  if (remote === undefined) throw new Error('unreachable')
  const options = JSON.parse(JSON.stringify(formatCheckpointRemote(remote)))
  expect(readCheckpointRemote(options, 'local')).toEqual(expected)
  expect(describeCheckpointRemote(remote)).toBe(text)
})

test.each([
  '',
  '-x',
  '--upload-pack=x',
  'ext::sh -c x',
  'nowhere:a/b',
  'github:a',
  'github:../b',
  'https://',
  'https://-x',
  'a b',
  '../x',
  '/abs',
  'x@-y:z',
  'git@host:-x',
])('%j is not a checkpoint remote', (text) => expect(parseCheckpointRemote(text)).toBeUndefined())

test('a password is never shown', () => {
  expect(describeCheckpointRemote({ kind: 'url', url: 'https://me:secret@example.com/a.git' })).toBe(
    'https://example.com/a.git',
  )
})
