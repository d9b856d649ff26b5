// What an author says about their own tools and commands, so that these can be tried as well: nobody else knows what they do.
import { array, boolean, looseObject, optional, parse, record, string, unknown } from 'valibot'
import { EntireError, messageOf } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { parseJson } from '../../std/json.ts'

const toolFixture = looseObject({
  name: string(),
  args: optional(record(string(), unknown()), {}),
  /** What its text must contain. */
  contains: optional(string()),
  isError: optional(boolean(), false),
  /** It takes long: it is called back while it works. */
  cancel: optional(boolean(), false),
})

const commandFixture = looseObject({
  name: string(),
  args: optional(string(), ''),
  /** What it must show, in a message or a notification. */
  says: optional(string()),
})

const schema = looseObject({ tools: optional(array(toolFixture), []), commands: optional(array(commandFixture), []) })

export type Fixtures = ReturnType<typeof parseFixtures>

export function parseFixtures(text: string, place: string) {
  try {
    return parse(schema, parseJson(text))
  } catch (error) {
    throw new EntireError('bad-usage', `${place} has no fixtures: ${messageOf(error)}.`, {
      hint: 'It has the form {"tools": [{"name": "greet", "args": {}, "contains": "Hello"}], "commands": [{"name": "hi", "says": "Hello"}]}.',
    })
  }
}

export function readFixtures(path: string): Fixtures {
  const text = readText(path)
  if (text === undefined) throw new EntireError('not-found', `There is no file ${path}.`)
  return parseFixtures(text, path)
}
