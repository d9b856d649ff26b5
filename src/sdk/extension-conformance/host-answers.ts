// What a host says that has nothing: no tools, no models, no keys, and nobody at the terminal.
import { parse } from 'valibot'
import { findMethod } from '../../protocol/extension.ts'
import { codes } from '../../protocol/extension-line.ts'
import { RpcFailure } from '../../protocol/extension-peer.ts'

/** Where nothing at all would be a lie. */
const special: Record<string, () => unknown> = {
  'host/askUser': () => ({ selected: '', cancelled: true }),
  'host/executeTool': () => refuse(codes.notFound, 'unknown tool'),
  'host/activateTool': () => refuse(codes.notFound, 'unknown tool'),
  'host/chat': () => refuse(codes.failed, 'no model configured'),
  'host/agent.run': () => refuse(codes.failed, 'no model configured'),
  'host/triggerCompact': () => refuse(codes.failed, 'no compactor registered'),
  'host/undoRestore': () => refuse(codes.notFound, 'no snapshot for path'),
}

/** The answer of an empty host. Throws an RpcFailure for what it cannot do. */
export function emptyAnswer(method: string): unknown {
  const schema = findMethod(method)?.result
  if (schema === undefined) return refuse(codes.unknownMethod, `method not found: ${method}`)
  const answer = special[method]
  return answer ? answer() : parse(schema, {})
}

export function refuseAll(): never {
  return refuse(codes.failed, 'host app not available')
}

function refuse(code: number, message: string): never {
  throw new RpcFailure(code, message)
}
