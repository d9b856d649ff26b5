// Everything a program needs to have extensions: they are found, started, kept running, replaced when they change, and stopped.

import { join } from 'node:path'
import type { EventData, EventName } from '../protocol/extension/events.ts'
import { messageOf } from '../std/errors.ts'
import { type Discovered, discoverExtensions, type ExtensionPlaces } from './discover.ts'
import { createEventBus, createEventQueue, type EventQueue } from './events.ts'
import type { ExtensionApp } from './host-side.ts'
import { createHostSide } from './host-side.ts'
import type { Environment } from './launch.ts'
import type { LiveExtension, RunningExtensions } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import { ownName, readManifest } from './manifest.ts'
import { overrideProblems } from './permissions.ts'
import { createCompaction } from './prompt-chain.ts'
import { type ExtensionAccess, type LocalOffer, Registry } from './registry.ts'
import { noRegistrations, startExtension } from './start-extension.ts'
import { createSupervisor, type Supervisor, type SupervisorTimes } from './supervisor.ts'
import { type Watcher, watchExtension } from './watcher.ts'

export interface ExtensionHostOptions {
  app: ExtensionApp
  places: ExtensionPlaces
  env: Environment
  /** What the program itself offers. */
  local: LocalOffer
  clock(): Date
  /** Variables that the user let an extension have. */
  granted?(extension: Manifest): string[]
  /** Sees every line of the protocol. `process` counts: an extension that is started anew is another one. */
  tap?(extension: string, direction: 'in' | 'out', line: string, process: number): void
  /** Starts extensions anew when their files change. */
  watch?: boolean
  times?: Partial<SupervisorTimes>
}

export type ExtensionHost = ReturnType<typeof createExtensionHost>

export function createExtensionHost(options: ExtensionHostOptions) {
  const { app } = options
  const registry = new Registry()
  const bus = createEventBus()
  const supervisors = new Map<string, Supervisor>()
  const manifests = new Map<string, Manifest>()
  const queues = new Map<string, EventQueue>()
  const watchers = new Map<string, Watcher>()
  let discovered: Discovered = { extensions: [], problems: [] }
  let processes = 0

  const running: RunningExtensions = {
    find: (name) => supervisors.get(name)?.live(),
    whyNot: (name) => supervisors.get(name)?.status().reason ?? 'nobody knows it',
  }
  const reach: ExtensionAccess = { registry, running }
  const side = createHostSide({
    app,
    reach,
    bus,
    extensionsDir: options.places.userDir,
    manifests: () => [...manifests.values()],
  })
  registry.set({ owner: ownName, rank: 0, local: options.local })

  async function launch(name: string, onLate: () => void): Promise<LiveExtension> {
    const { dir } = manifests.get(name) as Manifest
    const manifest = readManifest(dir)
    if (!manifest) throw new Error(`${dir} has no manifest any more`)
    if (manifest.name !== name) throw new Error(`${dir} is now called ${manifest.name}`)
    manifests.set(name, manifest)
    processes += 1
    const process = processes
    return await startExtension(manifest, side, {
      cwd: app.cwd,
      configDir: join(options.places.userDir, name),
      session: app.sessionId(),
      env: options.env,
      granted: options.granted?.(manifest) ?? [],
      approve: app.approve,
      log: (level, message) => app.log(level, message, { extension: name }),
      onLate,
      ...(options.tap ? { tap: (direction, line) => options.tap?.(name, direction, line, process) } : {}),
    })
  }

  function adopt(name: string, rank: number, live: LiveExtension): void {
    const { kept, problems } = overrideProblems(registry, live)
    for (const problem of problems) app.log('warn', problem, { extension: name })
    registry.set({ owner: name, rank, registrations: kept })
    rewatch(name)
  }

  /** One that does not run offers nothing: what it took the place of is back. Those it lets nobody pass are kept up. */
  function shelve(name: string, rank: number): void {
    const offer = registry.offers().find(({ owner }) => owner === name)
    if (!offer || !('registrations' in offer)) return
    const interceptors = { 'register/interceptor': offer.registrations['register/interceptor'] }
    registry.set({ owner: name, rank, registrations: { ...noRegistrations(), ...interceptors } })
  }

  function rewatch(name: string): void {
    if (!options.watch) return
    watchers.get(name)?.close()
    watchers.set(
      name,
      watchExtension(manifests.get(name) as Manifest, () => void supervisors.get(name)?.reload()),
    )
  }

  async function begin(manifest: Manifest, rank: number): Promise<void> {
    const { name } = manifest
    manifests.set(name, manifest)
    const supervisor = createSupervisor({
      name,
      launch: (onLate) => launch(name, onLate),
      onAdopt: (live) => adopt(name, rank, live),
      onDrop(live) {
        bus.forget(name, live.tell)
        app.gone(live)
      },
      onGiveUp: () => shelve(name, rank),
      tell: (level, message) => app.announce(level, message),
      ...(options.times ? { times: options.times } : {}),
    })
    supervisors.set(name, supervisor)
    await supervisor.start()
    rewatch(name)
  }

  return {
    ...reach,
    bus,
    compaction: createCompaction(reach, options.clock),

    /** Starts all of them at once; none holds up another. */
    async start(): Promise<Discovered> {
      discovered = discoverExtensions(options.places)
      for (const problem of discovered.problems) app.log('warn', problem)
      await Promise.all(discovered.extensions.map((manifest, at) => begin(manifest, at + 1)))
      return discovered
    },

    /** Those who listen hear of it in time; the agent goes on. */
    dispatch<Name extends EventName>(type: Name, data: EventData<Name>): void {
      for (const name of registry.listeners(type)) {
        const queue =
          queues.get(name) ??
          createEventQueue(
            () => running.find(name),
            (action) => app.act(action, name),
            (message) => app.log('warn', message, { extension: name }),
          )
        queues.set(name, queue)
        queue.push({ type, data: data as Record<string, unknown> })
      }
    },

    /** Settles when all events so far have been heard. */
    async eventsHeard(): Promise<void> {
      await Promise.all([...queues.values()].map((queue) => queue.idle()))
    },

    list: () =>
      [...manifests.values()].map((manifest) => ({
        manifest,
        status: supervisors.get(manifest.name)?.status(),
      })),
    problems: () => discovered.problems,
    find: running.find,

    async reload(name: string): Promise<void> {
      await supervisors.get(name)?.reload()
    },

    /** Never hangs. */
    async stop(): Promise<void> {
      for (const watcher of watchers.values()) watcher.close()
      const stopped = await Promise.allSettled(
        [...supervisors.values()].map((supervisor) => supervisor.stop()),
      )
      for (const result of stopped)
        if (result.status === 'rejected') app.log('warn', messageOf(result.reason))
    },
  }
}
