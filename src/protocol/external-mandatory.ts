// The subcommands that every external agent has.
import type { Subcommand } from './external-subcommand.ts'

export const mandatory = {
  info: {
    purpose: 'Says who it is and what it can do.',
    args: {},
    stdin: 'nothing',
    stdout: 'info',
    called: 'When plugins are looked for; a plugin that fails here is skipped.',
  },
  detect: {
    purpose: 'Says whether the agent is available here.',
    args: {},
    stdin: 'nothing',
    stdout: 'presence',
    called: '`entire enable`; `false` means that it is not enabled.',
  },
  'get-session-id': {
    purpose: 'Gives the id of the session that a hook speaks of.',
    args: {},
    stdin: 'hook-input',
    stdout: 'session-id',
    called: 'When a session starts.',
  },
  'get-session-dir': {
    purpose: 'Says where the agent keeps the sessions of a repository.',
    args: { 'repo-path': 'path' },
    stdin: 'nothing',
    stdout: 'session-dir',
    called: 'When a session starts; `entire rewind` and `entire resume`.',
  },
  'resolve-session-file': {
    purpose: 'Gives the file of a session, there already or to be.',
    args: { 'session-dir': 'path', 'session-id': 'text' },
    stdin: 'nothing',
    stdout: 'session-file',
    called: 'When a session starts; `entire rewind` and `entire resume`.',
  },
  'read-session': {
    purpose: 'Reads a session as the agent keeps it.',
    args: {},
    stdin: 'hook-input',
    stdout: 'session',
    called: 'When a session starts.',
  },
  'write-session': {
    purpose: 'Puts a session where the agent finds it.',
    args: {},
    stdin: 'session',
    stdout: 'nothing',
    called: '`entire rewind` and `entire resume`, to restore a conversation.',
  },
  'read-transcript': {
    purpose: 'Gives the transcript as it is.',
    args: { 'session-ref': 'path' },
    stdin: 'nothing',
    stdout: 'bytes',
    called: 'At the end of a turn and at a commit.',
  },
  'chunk-transcript': {
    purpose: 'Cuts a transcript into pieces that can be stored.',
    args: { 'max-size': 'integer' },
    stdin: 'bytes',
    stdout: 'chunks',
    called: 'When a document is too large for one piece.',
  },
  'reassemble-transcript': {
    purpose: 'Joins the pieces to exactly the bytes they were cut from.',
    args: {},
    stdin: 'chunks',
    stdout: 'bytes',
    called: 'After cutting, to see that it was done right; `entire explain`, `entire rewind` and `entire resume` of what was cut.',
  },
  'format-resume-command': {
    purpose: 'Gives the command with which a person goes on with a session.',
    args: { 'session-id': 'text' },
    stdin: 'nothing',
    stdout: 'resume-command',
    called: '`entire resume`.',
  },
} as const satisfies Record<string, Subcommand>
