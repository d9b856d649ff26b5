// Files with places to fill in, from which new plugins and extensions are made.

export const scaffoldLanguages = ['ts', 'python', 'sh'] as const
export type ScaffoldLanguage = (typeof scaffoldLanguages)[number]

export interface ScaffoldFile {
  /** From the directory of the plugin on. */
  path: string
  content: string
  executable: boolean
}

export type Template = [path: string, text: string, executable?: 'executable']

/** `{{key}}` stands for a value, in paths as well. */
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

/** A name that can be a directory, a package and a word on a command line. */
export function isPlainName(name: string): boolean {
  return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) && name.length <= 50
}
