// Checkpoints travel with the user's push. A remote that has others is merged with, never overwritten; one that cannot be reached never fails the push.

import { metadataRef, notesRef } from '../checkpoints/layout.ts'
import { syncRef } from '../checkpoints/sync.ts'
import { messageOf } from '../std/errors.ts'
import { openGit, type Recorder } from './work.ts'

export async function pushCheckpoints(recorder: Recorder, remote: string): Promise<void> {
  if (!recorder.settings.pushSessions || remote === '') return
  await using git = openGit(recorder.repo)
  for (const ref of [metadataRef, notesRef]) {
    try {
      await syncRef({
        repo: recorder.repo,
        objects: git.objects,
        remote,
        ref,
        say: recorder.say,
        author: (await git.config()).author,
        clock: recorder.clock,
      })
    } catch (error) {
      recorder.say(`[entire] Warning: couldn't sync sessions: ${messageOf(error)}`)
      recorder.log.write('warn', messageOf(error), { remote, ref })
    }
  }
}
