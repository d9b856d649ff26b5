// What a rule works with: the extension, started as often as it likes, and what is known of it.
import type { Environment } from '../../extensions/launch.ts'
import type { Registrations } from '../../extensions/live-extension.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { noRegistrations, register } from '../../extensions/start-extension.ts'
import { isRegistration, protocolVersion, type Registration } from '../../protocol/extension/table.ts'
import type { Json } from '../../std/json.ts'
import { hold } from '../conformance/broken.ts'
import type { Fixtures, Ground } from './ground.ts'
import { openProbe, type Probe } from './probe.ts'
import type { WireLog } from './wire-log.ts'

export interface Limits {
  /** For the answer to `initialize`. */
  startMs: number
  /** For any other answer. */
  answerMs: number
  /** For the end, when the channel was closed. */
  endMs: number
  /** How long one waits for what should not come. */
  settleMs: number
}

/** What the extension said when it was started first. */
export interface Facts {
  answer: Json | undefined
  registrations: Registrations
}

export interface Start {
  answerWith?: (method: string) => unknown
  manifest?: Manifest
  /** Variables that are set, or taken away. */
  env?: Environment
}

export interface Trial extends Ground {
  manifest: Manifest
  limits: Limits
  log: WireLog
  readonly facts: Facts
  learn(facts: Facts): void
  fixtures: Fixtures | undefined
  /** A process that nothing has been said to. */
  open(start?: Start): Probe
  /** One that has shaken hands. */
  start(start?: Start): Promise<Probe>
  /** What `initialize` says. */
  hello(): { protocolVersion: string; cwd: string; configDir: string }
  settle(): Promise<void>
  /** Ends every process of the trial. */
  end(): Promise<void>
}

export type Known = Pick<Trial, 'manifest' | 'limits' | 'log' | 'facts' | 'learn' | 'fixtures'>

export function makeTrial(ground: Ground, known: Known): Trial {
  const { manifest, limits, log } = known
  const probes: Probe[] = []
  const hello = () => ({ protocolVersion, cwd: ground.project, configDir: ground.configDir })
  const open: Trial['open'] = ({ answerWith, manifest: other, env } = {}) => {
    const probe = openProbe({
      manifest: other ?? manifest,
      env: { ...ground.env, ...env },
      log,
      answerMs: limits.answerMs,
      ...(answerWith ? { answerWith } : {}),
    })
    probes.push(probe)
    return probe
  }
  return {
    ...ground,
    ...known,
    get facts() {
      return known.facts
    },
    open,
    hello,
    async start(options) {
      const probe = open(options)
      const { error } = await probe.ask('initialize', hello(), limits.startMs)
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

/** What counts of everything that was said before the answer. */
export function readFacts(manifest: Manifest, probe: Probe, answer: Json | undefined): Facts {
  const registrations = noRegistrations()
  for (const { method, params } of probe.calls)
    if (isRegistration(method)) register(registrations, manifest, method, params)
  return { answer, registrations }
}

// A rule for extensions: what is to be tried, and what it means when it does not hold.

export interface Rule {
  /** Stable: programs may refer to it. */
  id: string
  /** A sentence that is true of an extension that keeps the rule. */
  title: string
  /** A host depends on `must`; `should` is what a good extension does, and is only warned about. */
  level: 'must' | 'should'
  /** Tried only where something of the kind is registered. */
  requires?: Registration
  /** Rules without which this one says nothing new: it is skipped when one of them is broken. */
  needs?: string[]
  /** Throws `Broken`. A text says why the rule could not be tried. */
  run(trial: Trial): Promise<string | undefined> | Promise<void>
}
