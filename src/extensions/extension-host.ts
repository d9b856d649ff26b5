// Hosts extensions for a program: finds them, starts them, keeps them running, replaces them when their files
// change, and stops them.
//
// A tool call goes down: tool-calls → registry → supervisor → start-extension → peer → transport → process. A
// request of an extension comes up: process → transport → peer → serve → permissions → host-side → the
// program.

import { join } from 'node:path'
import type { EventData, EventName } from '../protocol/extension/events.ts'
import type { Environment } from '../std/environment.ts'
import { messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { type Discovered, discoverExtensions, type ExtensionPlaces } from './discover.ts'
import { EventBus, EventQueue } from './events.ts'
import { createHostSide, type ExtensionApp } from './host-side.ts'
import type { HostSide, LiveExtension, RunningExtensions } from './live-extension.ts'
import { type Manifest, ownName, readManifest } from './manifest.ts'
import { withoutOverrides } from './permissions.ts'
import { Compaction } from './prompt-chain.ts'
import { type ExtensionAccess, type LocalOffer, Registry } from './registry.ts'
import { noRegistrations, startExtension } from './start-extension.ts'
import { Supervisor, type SupervisorStatus, type SupervisorTimes } from './supervisor.ts'
import { type Watcher, watchExtension } from './watcher.ts'

export interface ExtensionHostOptions {
  app: ExtensionApp
  places: ExtensionPlaces
  env: Environment
  /** What the program itself offers. */
  local: LocalOffer
  clock(): Date
  /** Environment variables that the user granted to an extension. */
  granted?(extension: Manifest): string[]
  /**
   * Sees every line of the protocol. `process` counts the processes: a restarted extension is another one.
   */
  tap?(extension: string, direction: 'in' | 'out', line: string, process: number): void
  /** Restarts extensions when their files change. */
  watch?: boolean
  times?: Partial<SupervisorTimes>
}

export function createExtensionHost(options: ExtensionHostOptions): ExtensionHost {
  return new ExtensionHost(options)
}

export class ExtensionHost implements ExtensionAccess {
  readonly registry = new Registry()
  readonly running: RunningExtensions = {
    find: (name) => this.#supervisors.get(name)?.live(),
    whyNot: (name) => this.#supervisors.get(name)?.status().reason ?? 'it was not found',
  }
  readonly bus = new EventBus()
  readonly compaction: Compaction
  readonly #options: ExtensionHostOptions
  readonly #app: ExtensionApp
  readonly #side: HostSide
  readonly #manifests = new Map<string, Manifest>()
  readonly #supervisors = new Map<string, Supervisor>()
  readonly #queues = new Map<string, EventQueue>()
  readonly #watchers = new Map<string, Watcher>()
  #discovered: Discovered = { extensions: [], problems: [] }
  #processes = 0

  constructor(options: ExtensionHostOptions) {
    this.#options = options
    this.#app = options.app
    this.compaction = new Compaction(this, options.clock)
    this.#side = createHostSide({
      app: options.app,
      access: this,
      bus: this.bus,
      extensionsDir: options.places.userDir,
      manifests: () => [...this.#manifests.values()],
    })
    this.registry.set({ owner: ownName, rank: 0, local: options.local })
  }

  /** Starts all extensions at once; a slow one does not hold up the others. */
  async start(): Promise<Discovered> {
    this.#discovered = discoverExtensions(this.#options.places)
    for (const problem of this.#discovered.problems) this.#app.log('warn', problem)
    await Promise.all(
      this.#discovered.extensions.map((manifest, index) => this.#supervise(manifest, index + 1)),
    )
    return this.#discovered
  }

  /** Queues an event for every extension that listens to it; the agent does not wait. */
  dispatch<Name extends EventName>(type: Name, data: EventData<Name>): void {
    for (const name of this.registry.listeners(type))
      this.#queueOf(name).push({ type, data: data as Record<string, unknown> })
  }

  /** Settles when all events so far have been delivered. */
  async eventsHeard(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.idle()))
  }

  list(): { manifest: Manifest; status: SupervisorStatus | undefined }[] {
    return [...this.#manifests.values()].map((manifest) => ({
      manifest,
      status: this.#supervisors.get(manifest.name)?.status(),
    }))
  }

  problems(): string[] {
    return this.#discovered.problems
  }

  find(name: string): LiveExtension | undefined {
    return this.running.find(name)
  }

  async reload(name: string): Promise<void> {
    await this.#supervisors.get(name)?.reload()
  }

  /** Never hangs. */
  async stop(): Promise<void> {
    for (const watcher of this.#watchers.values()) watcher.close()
    const stopped = await Promise.allSettled(
      [...this.#supervisors.values()].map((supervisor) => supervisor.stop()),
    )
    for (const result of stopped)
      if (result.status === 'rejected') this.#app.log('warn', messageOf(result.reason))
  }

  async #supervise(manifest: Manifest, rank: number): Promise<void> {
    const { name } = manifest
    this.#manifests.set(name, manifest)
    const supervisor = new Supervisor({
      name,
      launch: (onLate) => this.#launch(name, onLate),
      onAdopt: (live) => this.#adopt(live, rank),
      onDrop: (live) => {
        this.bus.forget(live)
        this.#app.gone(live)
      },
      onGiveUp: () => this.#withdrawOffer(name, rank),
      tell: (level, message) => this.#app.announce(level, message),
      ...given({ times: this.#options.times }),
    })
    this.#supervisors.set(name, supervisor)
    await supervisor.start()
    this.#watchFiles(name)
  }

  async #launch(name: string, onLate: () => void): Promise<LiveExtension> {
    const { places, env, granted, tap } = this.#options
    const { dir } = this.#manifests.get(name) as Manifest
    const manifest = readManifest(dir)
    if (!manifest) throw new Error(`${dir} no longer has a manifest`)
    if (manifest.name !== name) throw new Error(`${dir} is now called ${manifest.name}`)
    this.#manifests.set(name, manifest)
    this.#processes += 1
    const process = this.#processes
    return await startExtension(manifest, this.#side, {
      cwd: this.#app.cwd,
      configDir: join(places.userDir, name),
      session: this.#app.sessionId(),
      env,
      granted: granted?.(manifest) ?? [],
      approve: (extension, what) => this.#app.approve(extension, what),
      log: (level, message) => this.#app.log(level, message, { extension: name }),
      onLate,
      ...(tap ? { tap: (direction, line) => tap(name, direction, line, process) } : {}),
    })
  }

  #adopt(live: LiveExtension, rank: number): void {
    const { name } = live.manifest
    const { kept, problems } = withoutOverrides(this.registry, live)
    for (const problem of problems) this.#app.log('warn', problem, { extension: name })
    this.registry.set({ owner: name, rank, registrations: kept })
    this.#watchFiles(name)
  }

  /**
   * Withdraws the offer of an extension that does not run, except for its interceptors: they refuse every
   * call.
   */
  #withdrawOffer(name: string, rank: number): void {
    const offer = this.registry.offers().find(({ owner }) => owner === name)
    if (!offer || !('registrations' in offer)) return
    const interceptors = { 'register/interceptor': offer.registrations['register/interceptor'] }
    this.registry.set({ owner: name, rank, registrations: { ...noRegistrations(), ...interceptors } })
  }

  #watchFiles(name: string): void {
    if (!this.#options.watch) return
    this.#watchers.get(name)?.close()
    const manifest = this.#manifests.get(name) as Manifest
    this.#watchers.set(
      name,
      watchExtension(manifest, () => void this.#supervisors.get(name)?.reload()),
    )
  }

  #queueOf(name: string): EventQueue {
    const known = this.#queues.get(name)
    if (known) return known
    const queue = new EventQueue({
      find: () => this.running.find(name),
      act: (action) => this.#app.act(action, name),
      log: (message) => this.#app.log('warn', message, { extension: name }),
    })
    this.#queues.set(name, queue)
    return queue
  }
}
