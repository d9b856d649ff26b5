// The JSON Schemas of the external agent protocol, made from the schemas that the program itself reads by. File name → text.
import { toJsonSchema } from '@valibot/to-json-schema'
import { messages } from '../src/protocol/external-agent/messages.ts'

export function externalAgentSchemas(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(messages).map(([name, message]) => {
      // What may be written, not what a reader makes of it. The length of base64 has no place in a JSON Schema.
      const schema = toJsonSchema(message, {
        target: 'draft-2020-12',
        typeMode: 'input',
        errorMode: 'ignore',
      })
      const text = JSON.stringify({ ...schema, title: `External agent protocol 1: ${name}` }, null, 2)
      return [`${name}.json`, `${text}\n`]
    }),
  )
}
