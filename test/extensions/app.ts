// A hosting program for tests that answers every request with an empty result and records what it is told.
import { join } from 'node:path'
import { createExtensionHost, type ExtensionHostOptions } from '../../src/extensions/extension-host.ts'
import type { ExtensionApp } from '../../src/extensions/host-side.ts'
import type { LocalOffer } from '../../src/extensions/registry.ts'
import { recordingSide } from './live.ts'

export function recordingApp(base: string, answer?: Parameters<typeof recordingSide>[0]) {
  const { side, asked, told } = recordingSide(answer)
  const logged: string[] = []
  const announced: string[] = []
  const acted: unknown[] = []
  const gone: string[] = []
  const app: ExtensionApp = {
    cwd: base,
    configDir: join(base, 'config'),
    sessionId: () => undefined,
    requests: side.requests,
    notices: side.notices,
    act: (action) => void acted.push(action),
    gone: ({ manifest }) => void gone.push(manifest.name),
    announce: (level, message) => void announced.push(`${level}: ${message}`),
    log: (level, message) => void logged.push(`${level}: ${message}`),
    approve: async () => true,
  }
  return { app, asked, told, logged, announced, acted, gone }
}

const nothing: LocalOffer = { tools: [], commands: [] }

export function hostOf(base: string, app: ExtensionApp, more: Partial<ExtensionHostOptions> = {}) {
  return createExtensionHost({
    app,
    places: { userDir: base, projectDir: undefined, disabled: [] },
    env: process.env,
    local: nothing,
    clock: () => new Date(),
    ...more,
  })
}
