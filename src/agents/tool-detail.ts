// What a tool was called with, in one line: the first argument that says something to a person.
import { asObject } from '../std/json.ts'
import { text } from './hook-table.ts'

const telling = ['description', 'command', 'file_path', 'path', 'pattern', 'notebook_path', 'url', 'query']

export function toolDetail(input: unknown): string {
  const fields = asObject(input)
  const key = telling.find((name) => text(fields?.[name]) !== undefined)
  return key === undefined ? '' : (text(fields?.[key]) as string)
}
