// An extension made of registrations and handlers, whose bodies have `params` and `id` in scope.
import { nodeExtension } from './live.ts'

export type Registered = [method: string, params: unknown][]

export function scripted(
  registrations: Registered,
  handlers: Record<string, string> = {},
  init = '',
): string {
  return nodeExtension(`
const handlers = { ${Object.entries(handlers)
    .map(([method, body]) => `${JSON.stringify(method)}: async (params, id) => { ${body} }`)
    .join(', ')} }
async function on(method, params, id) {
  if (method === 'initialize') {
    ${init}
    for (const [name, fields] of ${JSON.stringify(registrations)}) say({ method: name, params: fields })
    return answer(id, {})
  }
  if (handlers[method]) await handlers[method](params, id)
  else if (id !== undefined) say({ id, error: { code: -32601, message: 'method not found: ' + method } })
}`)
}
