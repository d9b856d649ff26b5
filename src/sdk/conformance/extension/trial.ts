// Starts an extension for a rule, as often as needed, and keeps what earlier trials have learned of it.

import type { Registrations } from '../../../extensions/live-extension.ts'
import type { Manifest } from '../../../extensions/manifest.ts'
import { noRegistrations, register } from '../../../extensions/start-extension.ts'
import {
  extensionProtocolVersion,
  isRegistration,
  type Registration,
} from '../../../protocol/extension/table.ts'
import type { Environment } from '../../../std/environment.ts'
import { given } from '../../../std/given.ts'
import type { Json } from '../../../std/json.ts'
import { type ConformanceRule, hold } from '../rule.ts'
import { Probe } from './probe.ts'
import type { ExtensionSandbox } from './sandbox.ts'
import type { WireLog } from './wire-log.ts'

export type ExtensionRule = ConformanceRule<ExtensionTrial, Registration>

export interface ExtensionLimits {
  /** For the answer to `initialize`. */
  startMs: number
  /** For any other answer. */
  answerMs: number
  /** For the end of the process after the channel was closed. */
  endMs: number
  /** How long to wait for messages that should not come. */
  settleMs: number
}

/** What all trials of a check share. */
export interface ExtensionUnderTest {
  manifest: Manifest
  limits: ExtensionLimits
  log: WireLog
  facts: ExtensionFacts
}

/** What the extension said when it was started first. */
export interface ExtensionFacts {
  answer: Json | undefined
  registrations: Registrations
}

export interface ProbeStart {
  answerWith?: (method: string) => unknown
  manifest?: Manifest
  /** Variables to set, or to remove where undefined. */
  env?: Environment
}

export interface ExtensionTrial extends ExtensionSandbox, Readonly<ExtensionUnderTest> {
  learn(facts: ExtensionFacts): void
  /** Starts a process and sends it nothing. */
  open(options?: ProbeStart): Probe
  /** Starts a process and initializes it. */
  start(options?: ProbeStart): Promise<Probe>
  /** The parameters of `initialize`. */
  initializeParams(): { protocolVersion: string; cwd: string; configDir: string }
  settle(): Promise<void>
  /** Ends every process of the trial. */
  end(): Promise<void>
}

export function makeExtensionTrial(sandbox: ExtensionSandbox, extension: ExtensionUnderTest): ExtensionTrial {
  const { manifest, limits, log } = extension
  const probes: Probe[] = []
  const initializeParams = () => ({
    protocolVersion: extensionProtocolVersion,
    cwd: sandbox.project,
    configDir: sandbox.configDir,
  })
  const open: ExtensionTrial['open'] = ({ answerWith, manifest: other, env } = {}) => {
    const probe = new Probe({
      manifest: other ?? manifest,
      env: { ...sandbox.env, ...env },
      log,
      answerMs: limits.answerMs,
      ...given({ answerWith }),
    })
    probes.push(probe)
    return probe
  }
  return {
    ...sandbox,
    ...extension,
    learn: (facts) => {
      extension.facts = facts
    },
    open,
    initializeParams,
    async start(options) {
      const probe = open(options)
      const { error } = await probe.ask('initialize', initializeParams(), limits.startMs)
      hold(error === undefined, {
        expected: '`initialize` to be answered with a result',
        received: `error ${error?.code}: ${error?.message}`,
        fix: 'Answer `{"name": …, "version": …}` after the registrations.',
      })
      return probe
    },
    settle: () => new Promise((resolve) => setTimeout(resolve, limits.settleMs)),
    async end() {
      await Promise.all(probes.map((probe) => probe.kill()))
    },
  }
}

/** Collects the valid registrations among everything the extension sent before its answer. */
export function readFacts(manifest: Manifest, probe: Probe, answer: Json | undefined): ExtensionFacts {
  const registrations = noRegistrations()
  for (const { method, params } of probe.calls)
    if (isRegistration(method)) register(registrations, manifest, method, params)
  return { answer, registrations }
}
