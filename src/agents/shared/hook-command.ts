// Writes the command line that an agent runs for a hook, and recognises those that Entire has installed.

import { shellQuoted, shellWord } from '../../std/shell.ts'

/**
 * Where the program is not installed, as in a fresh clone of the repository, the hook is silent and succeeds.
 */
export function hookCommandLine(program: string, agent: string, verb: string): string {
  const name = shellWord(program)
  return `sh -c ${shellQuoted(`if ! command -v ${name} >/dev/null 2>&1; then exit 0; fi; exec ${name} hooks ${agent} ${verb}`)}`
}

const program = String.raw`(?<![\w-])entire(?:\.exe|\.ts|\.js)?`

/**
 * Recognises every form that was ever installed: plain, by path, run from source, wrapped for sh or for
 * cmd.exe.
 */
export function hookRecogniser(
  agentNames: string[],
  oldCommands: string[] = [],
): (command: string) => boolean {
  const call = `(?:hooks\\s+(?:${agentNames.join('|')})(?:\\s|$)${oldCommands.map((old) => `|${old}`).join('')})`
  const forms = [
    `^(?:[^\\s"'|;&]*[/\\\\])?${program}\\s+${call}`,
    `^(["'])[^"']*[/\\\\]${program}\\1\\s+${call}`,
    `^go\\s+run\\s+\\S*/cmd/entire/main\\.go["']?\\s+${call}`,
    `\\bexec\\s+[^;|&]*?${program}['"\\\\]*\\s+${call}`,
    `\\bexec\\s+go\\s+run\\s+\\S*/cmd/entire/main\\.go['"\\\\]*\\s+${call}`,
    `\\bwhere\\.exe\\s+${program}\\b.*\\b${program}["']?\\s+${call}`,
  ]
  const anyForm = new RegExp(forms.join('|'))
  return (command) => anyForm.test(command.trim())
}
