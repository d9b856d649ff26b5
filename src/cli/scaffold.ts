// Writes the files of a new plugin or extension into an empty directory.

import { chmodSync, existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ScaffoldFile } from '../sdk/scaffold/template.ts'
import { EntireError, invalidValue, useOneOf } from '../std/errors.ts'
import { readText, writeAtomic } from '../std/file.ts'
import { asObject, asString, parseJson } from '../std/json.ts'
import type { Cli } from './context.ts'
import { clean } from './render/text.ts'

export function requireLanguage<Language extends string>(
  languages: readonly Language[],
  name = 'ts',
): Language {
  const language = languages.find((each) => each === name)
  if (language !== undefined) return language
  throw invalidValue(clean(name), '--lang', useOneOf(languages))
}

/** The directory must be empty, or not exist yet. */
export function writeScaffold(files: ScaffoldFile[], dir: string): void {
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw new EntireError('exists', `${clean(dir)} is not empty.`, {
      hint: 'Choose another directory with --dir.',
    })
  for (const { path, content, executable } of files) {
    writeAtomic(join(dir, path), content, { mode: 0o644, dirMode: 0o755 })
    if (executable) chmodSync(join(dir, path), 0o755)
  }
}

export function printScaffold(cli: Cli, files: ScaffoldFile[], dir: string, tryIt: string): void {
  cli.out(`Wrote ${files.length} files to ${clean(dir)}:`)
  for (const { path } of files) cli.out(`  ${path}`)
  cli.out(`\nRead its README.md, then try it: ${clean(tryIt)}`)
}

/**
 * The clone that this program was built in, from which a new plugin can install the kit. Undefined for an
 * installed program: the kit of its version is then in the registry.
 */
export function kitSource(program: string): string | undefined {
  const root = dirname(dirname(realpathSync(program)))
  const name = asString(asObject(parseJson(readText(join(root, 'package.json')) ?? ''))?.name)
  const isClone = name === 'entire-ts' && !/[/\\]node_modules[/\\]/.test(root)
  // Escaped, because it becomes part of a JSON file.
  return isClone ? JSON.stringify(`file:${root}`).slice(1, -1) : undefined
}
