// What a program says that wants extensions and an agent without a screen of its own.

import type { ExtensionPlaces } from '../extensions/discover.ts'
import type { ExtensionHostOptions } from '../extensions/extension-host.ts'
import type { Environment } from '../extensions/launch.ts'
import type { EventData, EventName } from '../protocol/extension/events.ts'
import type { RandomHex } from '../std/random.ts'
import type { Clock } from '../std/time.ts'
import type { Retries } from './agent/ask-model.ts'
import type { AnswerQuestion, View, ViewPart } from './view.ts'

export interface PigletOptions {
  /** The project. */
  cwd: string
  /** Where settings, sessions and extensions are. */
  configDir: string
  env: Environment
  /** Answers in place of a person. Without it, every question is dismissed. */
  dialogs?: AnswerQuestion
  /** Something that a person would see is another than before. */
  onChange?(part: ViewPart, view: Readonly<View>): void
  /** Everything the agent does. */
  onEvent?<Name extends EventName>(type: Name, data: EventData<Name>): void
  /** The path or the id of a session to go on with; a new one unless said. */
  session?: string
  /** The model, by name; what the settings say unless said. */
  model?: string
  /** Instead of `<config>/debug.log`. */
  log?(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, string>): void
  retries?: Partial<Retries>
  clock?: Clock
  random?: RandomHex
  fetch?: typeof fetch
  /** Further extensions, and names of those that are not wanted in addition to what the settings say. */
  places?: Partial<Pick<ExtensionPlaces, 'also' | 'disabled'>>
  /** How extensions are run; see the host. */
  watch?: boolean
  times?: ExtensionHostOptions['times']
  tap?: ExtensionHostOptions['tap']
}

/** With everything that was left out filled in. */
export type CompletePigletOptions = PigletOptions &
  Required<Pick<PigletOptions, 'clock' | 'random' | 'fetch' | 'log'>>
