// Fills the templates from which new agent plugins and extensions are made.

import { invalidValue } from '../../std/errors.ts'

export const scaffoldLanguages = ['ts', 'python', 'sh'] as const
export type ScaffoldLanguage = (typeof scaffoldLanguages)[number]
export const agentLanguages = [...scaffoldLanguages, 'go'] as const
export type AgentLanguage = (typeof agentLanguages)[number]

export interface ScaffoldFile {
  /** Relative to the new directory. */
  path: string
  content: string
  executable: boolean
}

export type Template = [path: string, text: string, executable?: 'executable']

/** Replaces `{{key}}` by its value, in paths and texts. */
export function fillTemplates(templates: Template[], values: Record<string, string>): ScaffoldFile[] {
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole)
  return templates.map(([path, text, executable]) => ({
    path: fill(path),
    content: fill(text),
    executable: executable !== undefined,
  }))
}

export function displayName(name: string): string {
  return name.replace(/(?:^|-)[a-z0-9]/g, (start) => start.replace('-', ' ').toUpperCase())
}

/** The name becomes a directory, a package and a word on command lines. */
export function requireName(name: string, kind: 'agent' | 'extension'): void {
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) && name.length <= 50) return
  const hint = `Use lowercase letters, digits and single hyphens, and begin with a letter: my-${kind}.`
  throw invalidValue(name, `the name of an ${kind}`, hint)
}
