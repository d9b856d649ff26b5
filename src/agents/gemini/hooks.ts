// Turns the hooks of Gemini CLI into events. Most of them mean nothing for the lifecycle.

import { given } from '../../std/given.ts'
import { asText, type HookBase, type HookTable } from '../shared/hook-table.ts'
import { cleanPrompt } from '../shared/message-text.ts'

const nothing = () => null

export const geminiHooks: HookTable = {
  'session-start': (payload, base) => ({
    type: 'session-start',
    ...(payload.source === 'resume' ? withoutTranscript(base) : base),
  }),
  'session-end': (_payload, base) => ({ type: 'session-end', ...base }),
  'before-agent': (payload, base) => ({
    type: 'turn-start',
    ...base,
    ...given({ prompt: cleanPrompt(asText(payload.prompt) ?? '') }),
  }),
  // The answer in the payload is garbled when it was streamed in pieces; the transcript is complete by now.
  'after-agent': (_payload, base) => ({ type: 'turn-end', ...base }),
  'before-model': nothing,
  'after-model': nothing,
  'before-tool-selection': nothing,
  'before-tool': nothing,
  'after-tool': nothing,
  // The automatic one runs before every call of the model, whether or not anything is compressed. The
  // transcript only grows, so nothing is lost.
  'pre-compress': (payload, base) => (payload.trigger === 'auto' ? null : { type: 'compaction', ...base }),
  notification: nothing,
}

// At a resume the first hook names an empty file; every later one names the real one.
function withoutTranscript(base: HookBase): HookBase {
  const { transcript: _empty, ...rest } = base
  return rest
}
