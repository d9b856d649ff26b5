// Reads the action that an extension asks for in its answer to an event or a key.

import type { ActionResult } from '../protocol/extension/content.ts'
import { asObject, asString, type JsonObject } from '../std/json.ts'

export type ExtensionAction =
  | { type: 'notify'; message: string; level: string }
  | { type: 'showMessage'; text: string }
  | { type: 'setSessionTitle'; title: string }
  | { type: 'quit' }
  | { type: 'setStatus'; key: string; text: string }
  | { type: 'attachImage'; data: string; mimeType: string }
  | { type: 'detachImage' }
  | { type: 'sendMessage'; content: string }

type ReadField = (name: string) => string

const readers: {
  [Type in ExtensionAction['type']]: (field: ReadField) => Extract<ExtensionAction, { type: Type }>
} = {
  notify: (field) => ({ type: 'notify', message: field('message'), level: field('level') }),
  showMessage: (field) => ({ type: 'showMessage', text: field('text') }),
  setSessionTitle: (field) => ({ type: 'setSessionTitle', title: field('title') }),
  quit: () => ({ type: 'quit' }),
  setStatus: (field) => ({ type: 'setStatus', key: field('key'), text: field('text') }),
  attachImage: (field) => ({ type: 'attachImage', data: field('data'), mimeType: field('mimeType') }),
  detachImage: () => ({ type: 'detachImage' }),
  sendMessage: (field) => ({ type: 'sendMessage', content: field('content') }),
}

const withoutPayload: string[] = ['quit', 'detachImage'] satisfies ExtensionAction['type'][]

/** Undefined for an unknown action, and for one without the payload it needs. */
export function parseAction(result: ActionResult | null | undefined): ExtensionAction | undefined {
  if (!result || !Object.hasOwn(readers, result.type)) return undefined
  const payload = asObject(result.payload)
  if (payload === undefined && !withoutPayload.includes(result.type)) return undefined
  return readers[result.type as ExtensionAction['type']](fieldReader(payload ?? {}))
}

// Field names match in any case, as they do for programs in Go.
function fieldReader(payload: JsonObject): ReadField {
  const folded = new Map(Object.entries(payload).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => asString(folded.get(name.toLowerCase())) ?? ''
}
