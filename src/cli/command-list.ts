// Lists the commands. Each is loaded only when it is called, which keeps the start of the program fast.

import type { CommandNode } from './command-parts.ts'

interface CommandEntry {
  /** The command's own brief, known without loading it. */
  brief: string
  load(): Promise<CommandNode>
}

export const commandList = {
  enable: {
    brief: 'Start recording in this repository',
    load: async () => (await import('./setup/enable.ts')).enableCommand,
  },
  disable: {
    brief: 'Stop recording in this repository',
    load: async () => (await import('./setup/disable.ts')).disableCommand,
  },
  configure: {
    brief: 'Show and change the settings of this repository',
    load: async () => (await import('./configure/configure.ts')).configureCommand,
  },
  agent: {
    brief: 'List, add and remove agents, and create plugins for others',
    load: async () => (await import('./agent/agent.ts')).agentCommands,
  },
  status: {
    brief: 'Show what is being recorded',
    load: async () => (await import('./status/status.ts')).statusCommand,
  },
  session: {
    brief: 'Show and manage sessions',
    load: async () => (await import('./session/session.ts')).sessionCommands,
  },
  watch: {
    brief: 'Record agents without hooks by following their session files',
    load: async () => (await import('./watch/watch.ts')).watchCommand,
  },
  explain: {
    brief: 'Show the checkpoints of this branch, or one of them',
    load: async () => (await import('./explain/explain.ts')).explainCommand,
  },
  diff: {
    brief: 'Show what a turn changed',
    load: async () => (await import('./diff/diff.ts')).diffCommand,
  },
  undo: {
    brief: 'Take back the last turn, or some files of it',
    load: async () => (await import('./undo/undo.ts')).undoCommand,
  },
  redo: {
    brief: 'Bring back what the last undo or rewind took away',
    load: async () => (await import('./undo/undo.ts')).redoCommand,
  },
  rewind: {
    brief: 'Go back to an earlier point of a session, or undo that',
    load: async () => (await import('./rewind/rewind.ts')).rewindCommand,
  },
  resume: {
    brief: 'Continue the last session of a branch, a session, or a checkpoint',
    load: async () => (await import('./resume/resume.ts')).resumeCommand,
  },
  reset: {
    brief: 'Remove the sessions and steps of the current commit',
    load: async () => (await import('./clean/reset.ts')).resetCommand,
  },
  clean: {
    brief: 'Remove sessions and steps that are no longer needed',
    load: async () => (await import('./clean/clean.ts')).cleanCommand,
  },
  redact: {
    brief: 'Show what would be redacted from a text',
    load: async () => (await import('./redact/redact.ts')).redactCommand,
  },
  purge: {
    brief: 'Remove a secret, a checkpoint or a session for good',
    load: async () => (await import('./purge/purge.ts')).purgeCommand,
  },
  doctor: {
    brief: 'Find and fix problems',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommands,
  },
  completion: {
    brief: 'Print the completion script for a shell',
    load: async () => (await import('./completion/completion.ts')).completionCommands,
  },
  version: {
    brief: 'Print the version',
    load: async () => (await import('./version.ts')).versionCommand,
  },
  hooks: {
    brief: 'Handle a hook of an agent or of git',
    load: async () => (await import('./hooks/hooks.ts')).hooksCommand,
  },
} satisfies Record<string, CommandEntry>

export type CommandName = keyof typeof commandList

export const commandNames = Object.keys(commandList) as CommandName[]

export function isCommandName(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(commandList, name)
}

/** Names of commands in other versions, and common guesses. */
const aliases: Record<string, string[]> = {
  agents: ['agent'],
  attach: ['session', 'attach'],
  config: ['configure'],
  sessions: ['session'],
  trace: ['doctor', 'trace'],
}

/** Replaces aliases, and `help <command>`, by the words that the tree of commands knows. */
export function canonical(words: readonly string[]): string[] {
  if (words[0] === 'help') return [...canonical(words.slice(1)), '--help']
  const known = words[0] !== undefined && Object.hasOwn(aliases, words[0]) ? aliases[words[0]] : undefined
  return known === undefined ? [...words] : [...known, ...words.slice(1)]
}
