// Makes the JSON Schemas of the external agent protocol from the schemas of the program.
import { toJsonSchema } from '@valibot/to-json-schema'
import { examples } from '../src/protocol/external-agent/examples.ts'
import { type MessageName, messages } from '../src/protocol/external-agent/messages.ts'

/** Text by file name. */
export function externalAgentSchemas(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(messages).map(([name, message]) => {
      // The input, not what parsing makes of it. JSON Schema cannot express the length of base64.
      const schema = toJsonSchema(message, {
        target: 'draft-2020-12',
        typeMode: 'input',
        errorMode: 'ignore',
      })
      const title = `External agent protocol 1: ${name}`
      const text = JSON.stringify({ ...schema, title, examples: [examples[name as MessageName]] }, null, 2)
      return [`${name}.json`, `${text}\n`]
    }),
  )
}
