// The git hooks we live in, as data: what each is told, and what git feeds it.

export interface HookShape {
  /** Arguments handed on to `entire hooks git <name>`, in shell spelling. */
  args: string
  /** Whether git writes something to its standard input: both we and a chained hook need it. */
  stdin: boolean
  /** Whether our messages are kept away from the user's terminal. */
  quiet: boolean
  /** Shell lines that say whether there is anything for us to do, where that is cheaper than asking us. */
  onlyIf?: readonly string[]
  why: string
}

export const hookTable = {
  'prepare-commit-msg': {
    args: '"$1" "$2"',
    stdin: false,
    quiet: true,
    why: 'adds the checkpoint trailer to the message',
  },
  'commit-msg': {
    args: '"$1"',
    stdin: false,
    quiet: false,
    onlyIf: [
      '# Only a message that begins with the trailer can hold nothing else.',
      'while IFS= read -r _entire_line; do',
      '    case "$_entire_line" in',
      "    '' | '#'*) ;;",
      '    Entire-Checkpoint:*) break ;;',
      '    *) _entire_called=no; break ;;',
      '    esac',
      'done <"$1"',
    ],
    why: 'takes the trailer back when nothing else was written',
  },
  'post-commit': { args: '', stdin: false, quiet: true, why: 'turns recorded steps into a checkpoint' },
  'pre-push': { args: '"$1"', stdin: true, quiet: false, why: 'pushes checkpoints along with the branch' },
  'post-rewrite': { args: '"$1"', stdin: true, quiet: true, why: 'follows commits through amend and rebase' },
} as const satisfies Record<string, HookShape>

export type HookName = keyof typeof hookTable

export const hookNames = Object.keys(hookTable) as HookName[]

/** The line by which a hook is known as ours, by the reference program too. */
export const hookMarker = '# Entire CLI hooks'
