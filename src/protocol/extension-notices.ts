// What an extension tells the host without waiting for an answer.
import * as v from 'valibot'
import { integer, nothing, shape, text } from './extension-fields.ts'
import type { Capability, Method } from './extension-method.ts'

const notice = <Params extends v.GenericSchema>(purpose: string, params: Params) => ({ purpose, to: 'host', params }) as const
const allowed = <Params extends v.GenericSchema>(purpose: string, params: Params, capability: Capability) =>
  ({ purpose, to: 'host', params, capability }) as const

export const deltaTypes = ['text_delta', 'thinking_delta', 'toolcall_delta', 'toolcall_end'] as const

export const notices = {
  notify: notice('Shows a short message for a moment.', shape({ message: text, level: text })),
  showMessage: notice('Shows a message that stays.', shape({ text })),
  log: notice('Writes into the log of the host.', shape({ level: text, message: text })),
  setWidget: notice('Shows lines in a place of their own; without content they go.', shape({ key: text, placement: text, content: text })),
  showOverlay: notice(
    'Shows a window over everything, or replaces it.',
    shape({ key: text, title: text, content: text, anchor: text, width: text }),
  ),
  closeOverlay: notice('Closes it.', shape({ key: text })),
  setInputText: notice('Puts text where the user types.', shape({ text })),
  sendMessage: allowed('Says something as the user: now, or after the running turn.', shape({ content: text }), 'agent:control'),
  steer: allowed('Says something as the user into the running turn.', shape({ content: text }), 'agent:control'),
  abortWithMarker: allowed('Ends the running turn, and notes why.', shape({ reason: text }), 'agent:control'),
  abort: allowed('Ends the running turn.', nothing, 'agent:control'),
  'provider/delta': notice(
    'A piece of an answer that is being made.',
    shape({
      requestId: integer,
      type: text,
      index: integer,
      delta: text,
      tool: v.nullish(shape({ id: text, name: text, arguments: text })),
    }),
  ),
} as const satisfies Record<string, Method>

export type DeltaType = (typeof deltaTypes)[number]
