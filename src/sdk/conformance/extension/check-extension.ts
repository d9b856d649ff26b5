// Checks an extension: tries every rule of the protocol on it, each in a process and a home of its own.

import { resolve } from 'node:path'
import { type Manifest, manifestName, readManifest } from '../../../extensions/manifest.ts'
import { checkRuntime } from '../../../extensions/runtime.ts'
import { noRegistrations } from '../../../extensions/start-extension.ts'
import type { Registration } from '../../../protocol/extension/table.ts'
import { EntireError } from '../../../std/errors.ts'
import { type CheckOptions, type ConformanceRules, tryRules } from '../engine.ts'
import type { RuleResult } from '../rule.ts'
import { handshakeRule, handshakeRules } from './rules-handshake.ts'
import { extensionHookRules } from './rules-hooks.ts'
import { endRules, manifestRules } from './rules-lifecycle.ts'
import { framingRules, messageRules } from './rules-messages.ts'
import { extensionFixtureRules, requestRules } from './rules-requests.ts'
import type { ExtensionFixtures } from './sandbox.ts'
import { makeExtensionSandboxes } from './sandbox.ts'
import {
  type ExtensionLimits,
  type ExtensionRule,
  type ExtensionTrial,
  type ExtensionUnderTest,
  makeExtensionTrial,
} from './trial.ts'
import { createWireLog } from './wire-log.ts'

const rulesOfTrials: readonly ExtensionRule[] = [
  ...manifestRules,
  ...handshakeRules,
  ...requestRules,
  ...framingRules,
  ...extensionHookRules,
  ...endRules,
]

/** All rules except those that fixtures of the author add. */
export const extensionRules: readonly ExtensionRule[] = [...rulesOfTrials, ...messageRules]

export type ExtensionCheckOptions = CheckOptions<ExtensionFixtures, ExtensionLimits>

const usualLimits: ExtensionLimits = { startMs: 10_000, answerMs: 5_000, endMs: 2_000, settleMs: 200 }

/** Throws for a directory without an extension, and for a manifest whose program cannot be run. */
export async function checkExtension(
  dir: string,
  options: ExtensionCheckOptions = {},
): Promise<RuleResult[]> {
  const manifest = requireManifest(dir)
  const { fixtures, limits, env = process.env } = options
  const sandboxes = makeExtensionSandboxes(env, manifest)
  const extension: ExtensionUnderTest = {
    manifest,
    limits: { ...usualLimits, ...limits },
    log: createWireLog(),
    facts: { answer: undefined, registrations: noRegistrations() },
  }
  const set: ConformanceRules<ExtensionTrial, Registration> = {
    rules: [
      ...rulesOfTrials,
      ...(fixtures === undefined ? [] : extensionFixtureRules(fixtures)),
      ...messageRules,
    ],
    firstRule: handshakeRule,
    whyNotApplicable: (registration) =>
      extension.facts.registrations[registration].length === 0
        ? `nothing is registered with ${registration}`
        : undefined,
    openTrial: () => makeExtensionTrial(sandboxes.next(), extension),
    closeTrial: (trial) => trial.end(),
  }
  try {
    return await tryRules(set, options)
  } finally {
    sandboxes.remove()
  }
}

function requireManifest(dir: string): Manifest {
  const manifest = readManifest(resolve(dir))
  if (!manifest)
    throw new EntireError('not-found', `${dir} has no ${manifestName}.`, {
      hint: 'Name the directory of an extension.',
    })
  checkRuntime(manifest)
  return manifest
}
