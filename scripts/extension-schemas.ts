// Makes the JSON Schemas of the extension protocol from the schemas of the program.
import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { extensionEvents } from '../src/protocol/extension/events.ts'
import { permissionMeanings } from '../src/protocol/extension/method.ts'
import { extensionProtocolVersion, findMethod, methods } from '../src/protocol/extension/table.ts'

const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** Text by file name. */
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

/** Describes the input of the schema, not what parsing makes of it. */
function toSchema(schema: GenericSchema): object {
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
      [`${name}:params`, { description: method?.purpose, ...toSchema(method?.params as GenericSchema) }],
      ...(method?.result ? [[`${name}:result`, toSchema(method.result)]] : []),
    ]
  })
  const error = {
    type: 'object',
    properties: { code: { type: 'integer' }, message: { type: 'string' } },
    required: ['code', 'message'],
  }
  return {
    title: `Extension protocol ${extensionProtocolVersion}`,
    description: 'One line of the channel. The result of a request is under `$defs`, as `<method>:result`.',
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
    title: `Events of the extension protocol ${extensionProtocolVersion}`,
    description: 'The `data` of each event is under `$defs`, by its name.',
    $defs: Object.fromEntries(
      Object.entries(extensionEvents).map(([name, { purpose, data }]) => [
        name,
        { description: purpose, ...toSchema(data) },
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
      name: { type: 'string', pattern: '^[^/\\\\]+$', description: 'The name of the extension.' },
      version: text('Shown to users.'),
      runtime: text(
        'bun, node, deno or python; or a program: an absolute path, or a path in the directory of the extension.',
      ),
      entry: text('The file to run; required for bun, node, deno and python.'),
      transport: {
        enum: ['stdio', 'fd'],
        description:
          'The channel: standard input and output, or descriptors 3 and 4. By default both are offered.',
      },
      permissions: list('What it may do. With this list, everything else is refused.', {
        anyOf: [{ enum: [...Object.keys(permissionMeanings), '*'] }, named],
      }),
      watch: list('Further files and directories: a change in them restarts the extension.', {
        type: 'string',
      }),
    },
  }
}
