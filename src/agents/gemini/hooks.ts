// What Gemini CLI's hooks mean. Most of them are acknowledged and mean nothing for the lifecycle.

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
  // The answer in the payload is garbled when it was streamed in pieces; the transcript is complete by now and has it right.
  'after-agent': (_payload, base) => ({ type: 'turn-end', ...base }),
  'before-model': nothing,
  'after-model': nothing,
  'before-tool-selection': nothing,
  'before-tool': nothing,
  'after-tool': nothing,
  // The automatic one fires before every call of the model, whether anything is compressed or not. The transcript only grows, so nothing is lost.
  'pre-compress': (payload, base) => (payload.trigger === 'auto' ? null : { type: 'compaction', ...base }),
  notification: nothing,
}

// At a resume the first hook names an empty stub; every later one names the real file.
function withoutTranscript(base: HookBase): HookBase {
  const { transcript: _stub, ...rest } = base
  return rest
}
