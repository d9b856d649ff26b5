// Prints the current transcript of a session from the file of its agent.

import { closeSync, fstatSync } from 'node:fs'
import { findAgentByType } from '../../agents/all.ts'
import type { Session } from '../../model/session.ts'
import { EntireError } from '../../std/errors.ts'
import { fileSize, openRegular, readRange } from '../../std/file.ts'
import type { Cli } from '../context.ts'
import { page } from '../pager.ts'
import { clean } from '../render/text.ts'
import { write } from '../streams.ts'

export async function printLiveTranscript(cli: Cli, session: Session): Promise<void> {
  const bytes = readLive(session)
  // Byte for byte for a file or a pipe; without control characters on a terminal.
  if (cli.isTerminal) await page(cli, bytes.toString('utf8').split('\n').map(clean).join('\n'))
  else write(1, bytes)
}

// The agent may be writing: reads up to the current size, without an incomplete last line.
function readLive(session: Session): Buffer {
  const path = session.transcriptPath
  if (path === undefined || fileSize(path) === undefined) throw missing(session)
  const fd = openRegular(path)
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
