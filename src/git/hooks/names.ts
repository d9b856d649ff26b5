// Lists the git hooks that Entire installs: their arguments, their input, and what they do.

export interface HookShape {
  /** Arguments passed on to `entire hooks git <name>`, in shell syntax. */
  args: string
  /** Git writes to the standard input of this hook; Entire and a chained hook both need it. */
  stdin: boolean
  /** Entire's messages do not reach the user's terminal. */
  quiet: boolean
  /** The exit code with which Entire stops what git is about to do; any other code stops nothing. */
  stopCode?: number
  /**
   * Shell lines that find out whether there is anything to do, where that is cheaper than starting Entire.
   */
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
  'pre-push': {
    args: '"$1"',
    stdin: true,
    quiet: false,
    stopCode: 3,
    why: 'pushes checkpoints along with the branch, and never steps',
  },
  'post-rewrite': { args: '"$1"', stdin: true, quiet: true, why: 'follows commits through amend and rebase' },
} as const satisfies Record<string, HookShape>

export type HookName = keyof typeof hookTable

export const hookNames = Object.keys(hookTable) as HookName[]

/** The line that marks a hook as Entire's, also for the reference program. */
export const hookMarker = '# Entire CLI hooks'
