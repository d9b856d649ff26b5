// Reads the manifest of an extension (`manifest.yaml`): what to run, and what it may ask of the host.

import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { EntireError } from '../std/errors.ts'
import { readText } from '../std/file.ts'
import { asArray, asObject, asString, type JsonObject } from '../std/json.ts'

export interface Manifest {
  name: string
  version: string
  runtime: string
  /** The file to run; empty for a program that needs none. */
  entry: string
  /** The directory of the extension. */
  dir: string
  /**
   * Undefined for an extension written before permissions existed: it may do what extensions could do then.
   */
  permissions: string[] | undefined
  /** The transport it wants; undefined when both are offered and the extension chooses. */
  transport: 'stdio' | 'fd' | undefined
  /** Further files and directories whose changes restart it. */
  watch: string[]
}

export const manifestName = 'manifest.yaml'

/** The name under which the hosting program offers its own tools and commands. */
export const ownName = 'builtin'

/** Undefined when the directory has none. */
export function readManifest(dir: string): Manifest | undefined {
  const text = readText(join(dir, manifestName))
  return text === undefined ? undefined : parseManifest(text, dir)
}

export function parseManifest(text: string, dir: string): Manifest {
  // Every scalar is a string, as in the reference program: a version of 1.10 is not a number.
  const document = parseDocument(text, { schema: 'failsafe', maxAliasCount: 100 } as never)
  const [problem] = document.errors
  if (problem) throw badManifest(dir, `the file is not valid YAML: ${problem.message.split('\n')[0]}`)
  const fields = asObject(document.toJS())
  if (!fields) throw badManifest(dir, 'the file is not a list of fields')
  const manifest: Manifest = {
    name: stringField(fields, 'name', dir),
    version: stringField(fields, 'version', dir),
    runtime: stringField(fields, 'runtime', dir),
    entry: stringField(fields, 'entry', dir),
    dir,
    permissions: 'permissions' in fields ? stringList(fields, 'permissions', dir) : undefined,
    transport: transportField(fields, dir),
    watch: stringList(fields, 'watch', dir),
  }
  checkManifest(manifest)
  return manifest
}

function stringField(fields: JsonObject, name: string, dir: string): string {
  const text = asString(fields[name] ?? '')
  if (text === undefined) throw badManifest(dir, `${name} must be a string`)
  return text
}

function stringList(fields: JsonObject, name: string, dir: string): string[] {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return []
  const list = asArray(value).map(asString)
  if (!Array.isArray(value) || list.includes(undefined))
    throw badManifest(dir, `${name} must be a list of strings`)
  return list as string[]
}

function transportField(fields: JsonObject, dir: string): Manifest['transport'] {
  const value = stringField(fields, 'transport', dir)
  if (value === '') return undefined
  if (value === 'stdio' || value === 'fd') return value
  throw badManifest(dir, 'transport must be stdio or fd')
}

function checkManifest({ name, runtime, dir }: Manifest): void {
  if (name === '') throw badManifest(dir, 'name is required')
  // The name is also the name of a directory, and appears in messages.
  if (/[/\\\p{Cc}]/u.test(name) || /^\.{1,2}$/.test(name))
    throw badManifest(dir, `name must not have slashes or control characters`)
  // Offers belong to a name: under this one the extension would replace everything the program offers.
  if (name === ownName)
    throw badManifest(dir, `name must not be ${ownName}, which the program uses for itself`)
  if (runtime === '') throw badManifest(dir, 'runtime is required')
}

function badManifest(dir: string, problem: string): EntireError {
  return new EntireError('bad-settings', `${join(dir, manifestName)}: ${problem}.`, {
    hint: 'Correct the file; the other extensions are not affected.',
  })
}
