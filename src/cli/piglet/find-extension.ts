// Extensions as people name them: by name, or by the directory they are working on.
import { resolve } from 'node:path'
import { discoverExtensions } from '../../extensions/discover.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { readManifest } from '../../extensions/read-manifest.ts'
import { EntireError } from '../../std/errors.ts'
import { closest } from '../closest.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import type { PigletPlaces } from './places.ts'

/** A name wins over a directory of the same name, unless it is written as a path. */
export function findExtension(cli: Cli, places: PigletPlaces, given: string): Manifest {
  const everything = { ...places, projectDir: places.projectDir, disabled: [] }
  const { extensions } = discoverExtensions(everything)
  const named = /[/\\]|^\.{1,2}$/.test(given) ? undefined : extensions.find(({ name }) => name === given)
  const found = named ?? readManifest(resolve(cli.cwd, given))
  if (found) return found
  const near = closest(
    given,
    extensions.map(({ name }) => name),
  )
  throw new EntireError('not-found', `There is no extension ${clean(given)}.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Run `piglet ext list` to see them, or name the directory of one.',
  })
}
