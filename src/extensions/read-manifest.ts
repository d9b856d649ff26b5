// Reads the manifest of an extension, and says what is wrong with it in words.

import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { EntireError } from '../std/errors.ts'
import { readText } from '../std/file.ts'
import { asArray, asObject, asString, type JsonObject } from '../std/json.ts'
import { ownName } from './live-extension.ts'
import type { Manifest } from './manifest.ts'

export const manifestName = 'manifest.yaml'

/** Undefined when the directory has none. */
export function readManifest(dir: string): Manifest | undefined {
  const text = readText(join(dir, manifestName))
  return text === undefined ? undefined : parseManifest(text, dir)
}

export function parseManifest(text: string, dir: string): Manifest {
  // Every scalar is a text, as for the program that the manifests were written for: a version of 1.10 is not a number.
  const document = parseDocument(text, { schema: 'failsafe', maxAliasCount: 100 } as never)
  const [problem] = document.errors
  if (problem) throw badManifest(dir, `is not valid YAML: ${problem.message.split('\n')[0]}`)
  const fields = asObject(document.toJS())
  if (!fields) throw badManifest(dir, 'is not a list of fields')
  const manifest: Manifest = {
    name: field(fields, 'name', dir),
    version: field(fields, 'version', dir),
    runtime: field(fields, 'runtime', dir),
    entry: field(fields, 'entry', dir),
    dir,
    permissions: 'permissions' in fields ? texts(fields, 'permissions', dir) : undefined,
    transport: transportOf(fields, dir),
    watch: texts(fields, 'watch', dir),
  }
  checkManifest(manifest)
  return manifest
}

function checkManifest({ name, runtime, dir }: Manifest): void {
  if (name === '') throw badManifest(dir, 'name is required')
  // The name is also that of a directory, and stands in messages.
  if (/[/\\\p{Cc}]/u.test(name) || /^\.{1,2}$/.test(name))
    throw badManifest(dir, `name must not have slashes or control characters`)
  // What is offered belongs to a name: this one would take everything away from the program itself.
  if (name === ownName) throw badManifest(dir, `name must not be ${ownName}: that is the program's own`)
  if (runtime === '') throw badManifest(dir, 'runtime is required')
}

function field(fields: JsonObject, name: string, dir: string): string {
  const value = fields[name] ?? ''
  const text = asString(value)
  if (text === undefined) throw badManifest(dir, `${name} must be a text`)
  return text
}

function texts(fields: JsonObject, name: string, dir: string): string[] {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return []
  const list = asArray(value).map(asString)
  if (!Array.isArray(value) || list.includes(undefined))
    throw badManifest(dir, `${name} must be a list of texts`)
  return list as string[]
}

function transportOf(fields: JsonObject, dir: string): Manifest['transport'] {
  const value = field(fields, 'transport', dir)
  if (value === '') return undefined
  if (value === 'stdio' || value === 'fd') return value
  throw badManifest(dir, 'transport must be stdio or fd')
}

function badManifest(dir: string, rule: string): EntireError {
  return new EntireError('bad-settings', `${join(dir, manifestName)}: ${rule}.`, {
    hint: 'Correct the file; the other extensions are not affected.',
  })
}
