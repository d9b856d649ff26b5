import { expect, expectTypeOf, test } from 'bun:test'
import { type Args, type ArgsSchema, findArgsProblem } from './args.ts'

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    depth: { type: 'integer' },
    kind: { enum: ['file', 'dir'] },
    tags: { type: 'array', items: { type: 'string' } },
    where: { type: 'object', properties: { line: { type: 'number' } }, required: ['line'] },
    any: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
  required: ['path', 'kind'],
} as const satisfies ArgsSchema

test('a schema says which types arguments have', () => {
  expectTypeOf<Args<typeof schema>['path']>().toEqualTypeOf<string>()
  expectTypeOf<Args<typeof schema>['depth']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<Args<typeof schema>['kind']>().toEqualTypeOf<'file' | 'dir'>()
  expectTypeOf<Args<typeof schema>['tags']>().toEqualTypeOf<string[] | undefined>()
  expectTypeOf<NonNullable<Args<typeof schema>['where']>['line']>().toEqualTypeOf<number>()
  expectTypeOf<Args<typeof schema>['any']>().toEqualTypeOf<unknown>()
  expectTypeOf<Args<ArgsSchema>>().toEqualTypeOf<Record<string, unknown>>()
})

test.each<[object, string | undefined]>([
  [{ path: 'a', kind: 'dir' }, undefined],
  [{ path: 'a', kind: 'dir', depth: 2, tags: ['x'], where: { line: 1.5 }, any: true, more: 1 }, undefined],
  [{ kind: 'dir' }, 'arguments.path is missing'],
  [{ path: null, kind: 'dir' }, 'arguments.path must be string'],
  [{ path: 'a', kind: 'link' }, 'arguments.kind must be one of "file", "dir"'],
  [{ path: 'a', kind: 'dir', depth: 1.5 }, 'arguments.depth must be integer'],
  [{ path: 'a', kind: 'dir', tags: 'x' }, 'arguments.tags must be array'],
  [{ path: 'a', kind: 'dir', tags: ['x', 7] }, 'arguments.tags[1] must be string'],
  [{ path: 'a', kind: 'dir', where: {} }, 'arguments.where.line is missing'],
])('%j: %s', (args, problem) => {
  expect(findArgsProblem(schema, args)).toBe(problem)
})

test.each<[unknown, unknown]>([
  [{ type: ['string', 'null'] }, null],
  [{ type: 'of-tomorrow' }, 1],
  [{ properties: null, required: null, items: null }, {}],
  [{ properties: { a: true, b: null } }, { a: 1, b: 2 }],
  [{ enum: [{ a: 1 }] }, { a: 1 }],
  [{}, 'anything'],
])('a schema such as %j, which says more than types can, does not refuse %j', (loose, value) => {
  expect(findArgsProblem(loose as ArgsSchema, value)).toBeUndefined()
})
