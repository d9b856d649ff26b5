// Where a new plugin gets the kit from: a registry, or the clone that this program was built in.
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readText } from '../std/file.ts'
import { asObject, asString, parseJson } from '../std/json.ts'

/** Undefined when the program is installed, or a file somewhere: then there is a release of its version. */
export function kitSource(program: string): string | undefined {
  const root = dirname(dirname(realpathSync(program)))
  const name = asString(asObject(parseJson(readText(join(root, 'package.json')) ?? ''))?.name)
  const isClone = name === 'entire-ts' && !/[/\\]node_modules[/\\]/.test(root)
  // It becomes part of a JSON file.
  return isClone ? JSON.stringify(`file:${root}`).slice(1, -1) : undefined
}
