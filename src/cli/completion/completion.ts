// Defines `entire completion`, which prints the completion script for a shell. The script asks propose.ts for
// each completion.

import { buildCommand, buildRouteMap } from '@stricli/core'
import { formatManual } from '../command-parts.ts'
import type { Cli } from '../context.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

// The scripts ask the program for completions, so they never go out of date. An answer has a line for each
// completion: the word, a tab, and a description.
const bash = `# Completion of entire for bash.
_entire() {
    local program=entire word line
    local -a words=()
    COMPREPLY=()
    [[ \${COMP_WORDS[0]} == */* && -x \${COMP_WORDS[0]} ]] && program=\${COMP_WORDS[0]}
    # Bash splits --flag=value into three words.
    for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
        [[ $word == = ]] || words+=("$word")
    done
    [[ \${COMP_WORDS[COMP_CWORD]} == = ]] && words+=('')
    while IFS= read -r line; do
        line=\${line%%$'\\t'*}
        # A name may contain characters that are special to the shell.
        [[ $line == *[!A-Za-z0-9._/@:=,+%-]* ]] && printf -v line '%q' "$line"
        COMPREPLY+=("$line")
    done < <("$program" completion complete -- "\${words[@]}" 2>/dev/null)
}
complete -o nosort -F _entire entire 2>/dev/null || complete -F _entire entire
`

const zsh = `#compdef entire
# Completion of entire for zsh.
_entire() {
    local program=entire tab=$'\\t' line
    local -a values abouts shown
    local -i width=0 i
    [[ $words[1] == */* && -x $words[1] ]] && program=$words[1]
    while IFS= read -r line; do
        values+=("\${line%%$tab*}")
        abouts+=("\${line#*$tab}")
        (( \${#values[-1]} > width )) && width=\${#values[-1]}
    done < <("$program" completion complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
    for (( i = 1; i <= \${#values}; i++ )); do
        shown+=("\${(r:width:)values[i]}  \${abouts[i]}")
    done
    (( \${#values} )) && compadd -V entire -l -d shown -a -- values
}
if [[ $funcstack[1] == _entire ]]; then
    _entire "$@"
else
    compdef _entire entire
fi
`

const fish = `# Completion of entire for fish.
function __entire_complete
    # -x replaced -o in fish 4.
    set -l words (commandline -xpc 2>/dev/null; or commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    entire completion complete -- $words "$current" 2>/dev/null
end
complete -c entire -f -k -a '(__entire_complete)'
`

const completionScripts: Record<Shell, string> = { bash, zsh, fish }

/** How to load the script in every new shell. */
const completionInstall: Record<Shell, string[]> = {
  bash: ['Add this line to ~/.bashrc:', '', '  source <(entire completion bash)'],
  zsh: [
    'Add these lines to ~/.zshrc, after `autoload -U compinit && compinit`:',
    '',
    '  source <(entire completion zsh)',
    '',
    'Or save the script as _entire in a directory of your $fpath.',
  ],
  fish: ['Run this once:', '', '  entire completion fish > ~/.config/fish/completions/entire.fish'],
}

const examples: Record<Shell, [string, string]> = {
  bash: ['source <(entire completion bash)', 'in this shell'],
  zsh: ['source <(entire completion zsh)', 'in this shell'],
  fish: ['entire completion fish | source', 'in this shell'],
}

const scriptCommand = (shell: Shell) =>
  buildCommand<Record<never, never>, [], Cli>({
    func() {
      this.process.stdout.write(completionScripts[shell])
    },
    parameters: {},
    docs: {
      brief: `Print the completion script for ${shell}`,
      fullDescription: formatManual({
        text: [
          `Prints a script that makes ${shell} complete commands, flags, and values such as branches, sessions and checkpoints.`,
          ...completionInstall[shell],
        ],
        examples: [examples[shell]],
      }),
    },
  })

export const completionCommands = buildRouteMap<string, Cli>({
  routes: { bash: scriptCommand('bash'), zsh: scriptCommand('zsh'), fish: scriptCommand('fish') },
  docs: {
    brief: 'Print the completion script for a shell',
    fullDescription: formatManual({
      text: [
        'Each script makes its shell complete commands, flags, and values such as branches, sessions and checkpoints.',
      ],
      examples: [examples.bash, ['entire completion zsh --help', 'how to install the script for zsh']],
    }),
  },
})
