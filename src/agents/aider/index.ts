// Defines Aider as an agent. It has no hooks: `entire watch` follows its chat history.

import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { aiderCard } from '../cards.ts'
import { aiderResume, aiderSections, historyName } from './session-files.ts'
import { aiderTranscript } from './transcript.ts'
import { aiderWatcher } from './watcher.ts'

export const aider = {
  ...aiderCard,
  description: 'Aider - AI pair programming in your terminal',
  protectedDirs: [
    historyName,
    '.aider.input.history',
    '.aider.llm.history',
    '.aider.tags.cache.v3',
    '.aider.tags.cache.v4',
  ],
  detect: (root) =>
    [historyName, '.aider.conf.yml', '.aider.input.history'].some((name) => exists(join(root, name))),
  hookNames: [],
  parseHook: (verb) => {
    throw new EntireError('unknown-hook', `Aider has no hook called ${verb}.`, {
      hint: 'Run `entire watch` while you use Aider.',
    })
  },
  projectDir: () => undefined,
  transcript: aiderTranscript,
  sections: aiderSections,
  resume: aiderResume,
  watcher: aiderWatcher,
} satisfies Agent
