// The JSON Schemas of the extension protocol, made from the schemas that the program itself reads by. File name → text.
import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { events } from '../src/protocol/extension/events.ts'
import { capabilities } from '../src/protocol/extension/method.ts'
import { findMethod, methods, protocolVersion } from '../src/protocol/extension/table.ts'

const dialect = 'https://json-schema.org/draft/2020-12/schema'

export function extensionSchemas(): Record<string, string> {
  const files = {
    'protocol.json': protocolSchema(),
    'events.json': eventSchema(),
    'manifest.json': manifestSchema(),
  }
  return Object.fromEntries(
    Object.entries(files).map(([name, schema]) => [
      name,
      `${JSON.stringify({ $schema: dialect, ...schema }, null, 2)}\n`,
    ]),
  )
}

/** What may be written, not what a reader makes of it. */
function bare(schema: GenericSchema): object {
  const { $schema: _dialect, ...rest } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
  })
  return rest
}

function protocolSchema(): object {
  const names = Object.keys(methods)
  const parts = names.flatMap((name) => {
    const method = findMethod(name)
    return [
      [`${name}:params`, { description: method?.purpose, ...bare(method?.params as GenericSchema) }],
      ...(method?.result ? [[`${name}:result`, bare(method.result)]] : []),
    ]
  })
  const error = {
    type: 'object',
    properties: { code: { type: 'integer' }, message: { type: 'string' } },
    required: ['code', 'message'],
  }
  return {
    title: `Extension protocol ${protocolVersion}`,
    description: 'One line of the wire. The result of a request is under `$defs`, as `<method>:result`.',
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['integer', 'null'] },
      method: { enum: names },
      error,
    },
    anyOf: [{ required: ['method'] }, { required: ['id'] }],
    allOf: names.map((name) => ({
      if: { properties: { method: { const: name } }, required: ['method'] },
      // biome-ignore lint/suspicious/noThenProperty: this is the keyword of JSON Schema.
      then: { properties: { params: { anyOf: [{ $ref: refTo(`${name}:params`) }, { type: 'null' }] } } },
    })),
    $defs: Object.fromEntries(parts),
  }
}

function refTo(name: string): string {
  return `#/$defs/${name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('$', '%24')}`
}

function eventSchema(): object {
  return {
    title: `Events of the extension protocol ${protocolVersion}`,
    description: 'The `data` of each event is under `$defs`, by its name.',
    $defs: Object.fromEntries(
      Object.entries(events).map(([name, { purpose, data }]) => [
        name,
        { description: purpose, ...bare(data) },
      ]),
    ),
  }
}

function manifestSchema(): object {
  const text = (description: string) => ({ type: ['string', 'number'], description })
  const list = (description: string, items: object) => ({ type: 'array', description, items })
  const named = { pattern: '^(auth|env):\\S+$' }
  return {
    title: 'manifest.yaml of an extension',
    type: 'object',
    required: ['name', 'runtime'],
    properties: {
      name: { type: 'string', pattern: '^[^/\\\\]+$', description: 'What the extension is called.' },
      version: text('Shown to people.'),
      runtime: text(
        'bun, node, deno or python; or a program: an absolute path, or a path in the directory of the extension.',
      ),
      entry: text('The file to run; needed for bun, node, deno and python.'),
      transport: {
        enum: ['stdio', 'fd'],
        description: 'How it wants to be talked to. Unless said, both ways are offered.',
      },
      permissions: list('What it may ask for. With this list it gets nothing else.', {
        anyOf: [{ enum: [...Object.keys(capabilities), '*'] }, named],
      }),
      watch: list('Further files and directories that make it start anew when they change.', {
        type: 'string',
      }),
    },
  }
}
