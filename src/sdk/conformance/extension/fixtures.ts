// Defines the fixtures of an extension: calls of its tools and commands, and what they must return.

import { array, boolean, type InferOutput, looseObject, optional, record, string, unknown } from 'valibot'
import { readFixturesFile } from '../fixtures.ts'

const toolFixture = looseObject({
  name: string(),
  args: optional(record(string(), unknown()), {}),
  /** The result must contain this text. */
  contains: optional(string()),
  isError: optional(boolean(), false),
  /** The tool takes long: the call is cancelled while it runs. */
  cancel: optional(boolean(), false),
})

const commandFixture = looseObject({
  name: string(),
  args: optional(string(), ''),
  /** The command must show this text, in a message or a notification. */
  says: optional(string()),
})

const extensionFixturesSchema = looseObject({
  tools: optional(array(toolFixture), []),
  commands: optional(array(commandFixture), []),
})

export type ExtensionFixtures = InferOutput<typeof extensionFixturesSchema>

export function readExtensionFixtures(path: string): ExtensionFixtures {
  return readFixturesFile(path, {
    schema: extensionFixturesSchema,
    errorCode: 'bad-usage',
    hint: 'It has the form {"tools": [{"name": "greet", "args": {}, "contains": "Hello"}], "commands": [{"name": "hi", "says": "Hello"}]}.',
  })
}
