// Makes the functions of the host out of the table of the protocol.
import { safeParse } from 'valibot'
import { type HostNotice, type HostRequest, methods } from '../../protocol/extension.ts'
import { codes } from '../../protocol/extension-line.ts'
import { RpcFailure } from '../../protocol/extension-peer.ts'
import type { Host, HostCallOptions } from './host.ts'
import { gives, takes } from './host-calls.ts'
import type { Message } from './messages.ts'
import { parseParams } from './parse-params.ts'
import type { Subscriptions } from './subscriptions.ts'

/** The way to the host. */
export interface HostLink {
  request(method: string, params: unknown, options: { signal?: AbortSignal | undefined; deadlineMs?: number | undefined }): Promise<unknown>
  tell(method: string, params: unknown): Promise<boolean>
  subscriptions: Subscriptions
}

const requestNames = Object.entries(methods).flatMap(([name, method]) =>
  name.startsWith('host/') && 'result' in method ? [name as HostRequest] : [],
)
const noticeNames = Object.keys(takes).filter((name) => !name.startsWith('host/')) as HostNotice[]

/** `config.get` is `configGet`. */
export function clientName(method: string): string {
  return method.replace('host/', '').replace(/\.(\w)/g, (_dot, letter: string) => letter.toUpperCase())
}

/** `bound`: every call is taken back when it is aborted. */
export function createHost(link: () => HostLink, bound?: AbortSignal): Host {
  const request = async (method: HostRequest, params: unknown, { signal, timeoutMs }: HostCallOptions = {}): Promise<unknown> => {
    const { params: schema, result } = methods[method]
    // A question that cannot be answered is not asked.
    parseParams(schema, params, method)
    const both = bound && signal ? AbortSignal.any([bound, signal]) : (bound ?? signal)
    const answer = await link()
      .request(method, params, { signal: both, deadlineMs: timeoutMs })
      .catch((error) => Promise.reject(named(method, error)))
    const parsed = safeParse(result, answer)
    if (parsed.success) return parsed.output
    throw new RpcFailure(codes.failed, `${method}: the host answered with something else: ${parsed.issues[0].message}`)
  }
  const tell = (method: HostNotice, params: unknown) => link().tell(method, params)
  const named = (method: string, error: unknown) =>
    error instanceof RpcFailure && !error.message.startsWith(method) ? new RpcFailure(error.code, `${method}: ${error.message}`) : error

  const call = (method: HostRequest) => {
    const pick = (result: unknown) => (method in gives ? (result as Record<string, unknown>)[gives[method as keyof typeof gives]] : result)
    if (method in takes) {
      const field = takes[method as keyof typeof takes]
      return async (value: unknown, options?: HostCallOptions) => pick(await request(method, { [field]: value }, options))
    }
    if (safeParse(methods[method].params, undefined).success)
      return async (options?: HostCallOptions) => pick(await request(method, {}, options))
    return async (params: unknown, options?: HostCallOptions) => pick(await request(method, params, options))
  }
  const derived = Object.fromEntries([
    ...requestNames.map((method) => [clientName(method), call(method)]),
    ...noticeNames.map((method) => [method, (value: unknown) => tell(method, { [takes[method as keyof typeof takes]]: value })]),
  ])
  return {
    ...derived,
    showPicker: async (params, options) => ((await derived.showPicker(params, options)) as string) || null,
    subscribe: (topic, listener) => link().subscriptions.add(topic, listener, () => derived.subscribe(topic) as Promise<number>),
    messagesFrom: async (index, options) => ((await derived.conversationMessages(options)) as Message[]).slice(Math.max(0, index)),
    notify: (message, level = 'info') => tell('notify', { message, level }),
    log: (level, message) => tell('log', { level, message }),
    setWidget: (widget) => tell('setWidget', widget),
    showOverlay: (overlay) => tell('showOverlay', overlay),
    request,
    tell,
  } as Host
}
