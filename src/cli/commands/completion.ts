// `entire completion`: the script that teaches a shell to complete. What the script asks is answered in completion/answer.ts.
import { buildCommand, buildRouteMap } from '@stricli/core'
import { completionInstall, completionScripts, type Shell } from '../completion/scripts.ts'
import type { Cli } from '../context.ts'
import { formatManual } from '../manual.ts'

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
    brief: 'Print the completion script of a shell',
    fullDescription: formatManual({
      text: ['Each script makes its shell complete commands, flags, and values such as branches, sessions and checkpoints.'],
      examples: [examples.bash, ['entire completion zsh --help', 'where to put the one for zsh']],
    }),
  },
})
