// Agents wrap what they inject into a prompt in tags; what is left without them is what the user typed.
const injectedBlocks = [
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'system-reminder',
  'command-name',
  'command-message',
  'command-args',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'task-notification',
  'session_context',
  'hook_context',
  'state_snapshot',
]

const closed = new RegExp(`<(${injectedBlocks.join('|')}|ide_\\w+)(?:\\s[^>]*)?>[\\s\\S]*?</\\1>`, 'g')
// A block that was cut off, or that nests itself, still begins with its tag.
const opened = new RegExp(`^<(?:${injectedBlocks.join('|')})[>\\s]`)
const interrupted = /^\[Request interrupted by user[^\]]*\]$/

/** What the user typed, or undefined when nothing of it is theirs. */
export function cleanPrompt(text: string): string | undefined {
  // Most prompts have no tag in them, and making such an expression ready takes longer than looking.
  const cleaned = (text.includes('<') ? text.replace(closed, '') : text).trim()
  const isOthers = (cleaned.startsWith('<') && opened.test(cleaned)) || (cleaned.startsWith('[') && interrupted.test(cleaned))
  return cleaned === '' || isOthers ? undefined : cleaned
}
