// The command line an agent runs for a hook, and how to know one of ours among those of others.

/** A repository may be cloned where the program is not installed: then the hook says nothing and succeeds. */
export function hookCommand(program: string, agent: string, verb: string): string {
  const name = quote(program)
  return `sh -c ${quote(`if ! command -v ${name} >/dev/null 2>&1; then exit 0; fi; exec ${name} hooks ${agent} ${verb}`, true)}`
}

function quote(word: string, always = false): string {
  return !always && /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

const program = String.raw`(?<![\w-])entire(?:\.exe|\.ts|\.js)?`

/** Recognises every form that was ever installed: plain, by path, run from source, wrapped for sh or for cmd.exe. */
export function hookRecogniser(agentNames: string[], oldCommands: string[] = []): (command: string) => boolean {
  const ours = `(?:hooks\\s+(?:${agentNames.join('|')})(?:\\s|$)${oldCommands.map((old) => `|${old}`).join('')})`
  const forms = [
    `^(?:[^\\s"'|;&]*[/\\\\])?${program}\\s+${ours}`,
    `^(["'])[^"']*[/\\\\]${program}\\1\\s+${ours}`,
    `^go\\s+run\\s+\\S*/cmd/entire/main\\.go["']?\\s+${ours}`,
    `\\bexec\\s+[^;|&]*?${program}['"\\\\]*\\s+${ours}`,
    `\\bexec\\s+go\\s+run\\s+\\S*/cmd/entire/main\\.go['"\\\\]*\\s+${ours}`,
    `\\bwhere\\.exe\\s+${program}\\b.*\\b${program}["']?\\s+${ours}`,
  ]
  const any = new RegExp(forms.join('|'))
  return (command) => any.test(command.trim())
}
