// The live transcript of a session, as its agent wrote it so far.

import { closeSync, fstatSync, openSync } from 'node:fs'
import { findAgentByType } from '../../agents/all.ts'
import type { Session } from '../../model/session.ts'
import { EntireError } from '../../std/errors.ts'
import { fileSize, readRange } from '../../std/file.ts'
import type { Cli } from '../context.ts'
import { page } from '../pager.ts'
import { clean } from '../render/text.ts'
import { write } from '../streams.ts'

export async function printLiveTranscript(cli: Cli, session: Session): Promise<void> {
  const bytes = readLive(session)
  // For a file or a pipe, byte for byte. On a terminal nothing in it may move the cursor.
  if (cli.isTerminal) await page(cli, bytes.toString('utf8').split('\n').map(clean).join('\n'))
  else write(1, bytes)
}

// The agent goes on writing: what comes after the size at this moment is left out, and so is a line that is only half there.
function readLive(session: Session): Buffer {
  const path = session.transcriptPath
  if (path === undefined || fileSize(path) === undefined) throw missing(session)
  const fd = openSync(path, 'r')
  try {
    const agent = findAgentByType(session.agentType)
    const part =
      agent?.sections === undefined
        ? { from: 0, to: fstatSync(fd).size }
        : agent.sections.find(path, session.id)
    if (part === undefined) throw missing(session)
    const bytes = readRange(fd, part.from, part.to - part.from)
    const isDocument = agent?.transcript.shape(bytes.subarray(0, 256).toString('utf8')) === 'document'
    return isDocument ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1)
  } finally {
    closeSync(fd)
  }
}

function missing(session: Session): EntireError {
  const stored = session.lastCheckpoint === undefined ? undefined : clean(session.lastCheckpoint)
  return new EntireError(
    'transcript-missing',
    `The transcript of session ${clean(session.id)} is not on this machine.`,
    {
      hint:
        stored === undefined
          ? 'Its agent may have removed it.'
          : `Its last checkpoint has a copy: \`entire explain -c ${stored} --raw-transcript\`.`,
    },
  )
}
