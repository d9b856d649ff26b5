// Reads the fixtures that an author gives to a check: a JSON file in the form of a schema.

import { readFileSync } from 'node:fs'
import { type GenericSchema, getDotPath, type InferOutput, safeParse } from 'valibot'
import { EntireError, type ErrorCode, messageOf } from '../../std/errors.ts'

export interface FixturesForm<Schema extends GenericSchema> {
  schema: Schema
  /** Of the error for a file that has another form. */
  errorCode: ErrorCode
  /** Says where the form is described. */
  hint: string
}

export function readFixturesFile<Schema extends GenericSchema>(
  path: string,
  { schema, errorCode, hint }: FixturesForm<Schema>,
): InferOutput<Schema> {
  const parsed = safeParse(schema, parseFixtures(path, readFixturesText(path), errorCode))
  if (parsed.success) return parsed.output
  const problems = parsed.issues.map((issue) => `${getDotPath(issue) ?? 'the file'}: ${issue.message}`)
  throw new EntireError(errorCode, `${path} is not a fixtures file: ${problems.join('; ')}`, { hint })
}

function readFixturesText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw cannotRead(path, 'not-found', error)
  }
}

function parseFixtures(path: string, text: string, errorCode: ErrorCode): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw cannotRead(path, errorCode, error)
  }
}

function cannotRead(path: string, code: ErrorCode, error: unknown): EntireError {
  return new EntireError(code, `The fixtures in ${path} cannot be read: ${messageOf(error)}`, {
    hint: 'Give the path of a JSON file.',
  })
}
