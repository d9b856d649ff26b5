// Reads and writes the notes of each project in a file of the extension.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Notes = Record<string, string[]>

const fileIn = (configDir: string) => join(configDir, 'notes.json')

function readAll(configDir: string): Notes {
  try {
    return JSON.parse(readFileSync(fileIn(configDir), 'utf8')) as Notes
  } catch {
    return {}
  }
}

export function readNotes(configDir: string, project: string): string[] {
  return readAll(configDir)[project] ?? []
}

export function writeNotes(configDir: string, project: string, notes: string[]): void {
  mkdirSync(configDir, { recursive: true })
  const fresh = `${fileIn(configDir)}.${process.pid}.tmp`
  writeFileSync(fresh, JSON.stringify({ ...readAll(configDir), [project]: notes }, null, 2))
  renameSync(fresh, fileIn(configDir))
}
