// Knows the version of the program: a constant set by the build, or package.json when run from source.
import { readFileSync } from 'node:fs'

declare const ENTIRE_VERSION: string | undefined

export const version: string = typeof ENTIRE_VERSION === 'string' ? ENTIRE_VERSION : readVersion()

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
