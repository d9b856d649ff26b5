// The beginning and the end of an extension, and calling a request back.
import * as v from 'valibot'
import { nothing, shape, some, text } from './extension-fields.ts'
import { deadlines, type Method } from './extension-method.ts'

export const lifecycle = {
  initialize: {
    purpose: 'Says where the extension runs. Everything it registers comes before its answer.',
    to: 'extension',
    params: shape({ protocolVersion: v.string(), cwd: v.string(), configDir: some.text }),
    result: v.nullish(shape({ name: text, version: text }), {}),
    deadlineMs: deadlines.start,
  },
  shutdown: { purpose: 'The end is near: the channel is closed next.', to: 'extension', params: nothing },
  '$/cancelRequest': {
    purpose: 'Nobody waits for the answer to this request any more.',
    to: 'both',
    params: shape({ id: v.pipe(v.number(), v.integer()) }),
  },
} as const satisfies Record<string, Method>
