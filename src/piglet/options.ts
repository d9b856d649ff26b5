// Defines the options of a program that embeds piglet.

import type { ExtensionPlaces } from '../extensions/discover.ts'
import type { ExtensionHostOptions } from '../extensions/extension-host.ts'
import type { EventData, EventName } from '../protocol/extension/events.ts'
import type { Environment } from '../std/environment.ts'
import type { RandomHex } from '../std/random.ts'
import type { Clock } from '../std/time.ts'
import type { Retries } from './agent/ask-model.ts'
import type { AnswerQuestion, View, ViewPart } from './view.ts'

export interface PigletOptions {
  /** The project. */
  cwd: string
  /** The directory of settings, sessions and extensions. */
  configDir: string
  env: Environment
  /** Answers questions for the user. Without it, every question is dismissed. */
  dialogs?: AnswerQuestion
  /** Something the user would see has changed. */
  onChange?(part: ViewPart, view: Readonly<View>): void
  /** Hears everything the agent does. */
  onEvent?<Name extends EventName>(type: Name, data: EventData<Name>): void
  /** The path or id of a session to resume; a new session by default. */
  session?: string
  /** The name of the model; the one of the settings by default. */
  model?: string
  /** Replaces `<config>/debug.log`. */
  log?(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, string>): void
  retries?: Partial<Retries>
  clock?: Clock
  random?: RandomHex
  fetch?: typeof fetch
  /** Further extensions to run, and further names of extensions not to run. */
  places?: Partial<Pick<ExtensionPlaces, 'also' | 'disabled'>>
  /** See `ExtensionHostOptions` for these three. */
  watch?: boolean
  times?: ExtensionHostOptions['times']
  tap?: ExtensionHostOptions['tap']
}

/** With defaults for the clock, randomness, network and log. */
export type CompletePigletOptions = PigletOptions &
  Required<Pick<PigletOptions, 'clock' | 'random' | 'fetch' | 'log'>>
