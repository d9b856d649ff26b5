import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compilePattern } from './linear-pattern.ts'

const native = (source: string, flags: string, text: string) =>
  [...text.matchAll(new RegExp(source, `g${flags}`))]
    .filter((match) => match[0] !== '')
    .map((match) => [match.index, match.index + match[0].length])

const own = (source: string, flags: string, text: string) =>
  compilePattern(source, flags === 'i').find(text) as number[][] | undefined

const isRefused = (source: string) => {
  try {
    compilePattern(source, false)
    return false
  } catch (error) {
    return String(error).includes('can be empty')
  }
}

// Expressions are made of these; a text of the same letters meets all their cases.
const { expression } = fc.letrec<{ expression: string; sequence: string; part: string; atom: string }>(
  (tie) => ({
    expression: fc.oneof(
      { depthSize: 'small' },
      tie('sequence'),
      fc.tuple(tie('sequence'), tie('sequence')).map(([a, b]) => `${a}|${b}`),
    ),
    sequence: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    part: fc
      .tuple(
        tie('atom'),
        fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{2,}', '{0,2}?'),
      )
      .map(([atom, repeat]) => (/^\\b|^\^|^\$|^\(\?[=!<]/i.test(atom) ? atom : `${atom}${repeat}`)),
    atom: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(
        'a',
        'b',
        'B',
        '1',
        '\\.',
        '-',
        '.',
        '\\d',
        '\\w',
        '\\s',
        '\\S',
        '[ab]',
        '[^a]',
        '[a-c1-]',
        '[\\]\\d]',
      ),
      fc.constantFrom(
        '\\b',
        '\\B',
        '^',
        '$',
        '(?=a)',
        '(?!b)',
        '(?<=a)',
        '(?<!ab)',
        '\\x61',
        '\\u0062',
        'é',
        '(?<=[ab]|1)',
      ),
      tie('expression').map((inner) => `(?:${inner})`),
      tie('expression').map((inner) => `(${inner})`),
      tie('expression').map((inner) => `(?=${inner})`),
    ),
  }),
)

const texts = fc.array(fc.constantFrom('a', 'b', 'A', 'B', '1', '.', '-', ' ', 'é', 'c', ']', '\n'), {
  maxLength: 14,
})

test('finds what the engine of JavaScript finds', () => {
  fc.assert(
    fc.property(expression, texts, fc.constantFrom('', 'i'), (source, letters, flags) => {
      const text = letters.join('')
      fc.pre(!isRefused(source))
      expect([source, own(source, flags, text)]).toEqual([source, native(source, flags, text)])
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['nested repeats', '(?:a+)+b', 'a'.repeat(4000)],
  ['a choice that is ambiguous', '(?:a|a)*b', 'a'.repeat(4000)],
  ['many repeats in a row', 'a*a*a*a*a*a*a*b', 'a'.repeat(4000)],
  ['anything, twice', '.*.*=.*', 'x'.repeat(4000)],
  ['an address', '^(?:[\\w.-]+)+@', 'a.'.repeat(2000)],
])('%s takes few steps and finds nothing', (_name, source, text) => {
  expect(compilePattern(source, false).find(text)).toEqual([])
})

test('what would take too many steps is given up, and what cannot be matched in time is refused', () => {
  expect(compilePattern(`${'a?'.repeat(1500)}b`, false).find('a'.repeat(4000))).toBeUndefined()
  expect(() => compilePattern('(?:(?:a{1,99}){1,99}){1,99}', false)).toThrow('too large')
  expect(() => compilePattern('(?:a?)+b', false)).toThrow('can be empty')
  expect(() => compilePattern('(a)\\1', false)).toThrow('refers back to a group')
  expect(() => compilePattern('(?<=a+)b', false)).toThrow('different lengths')
})
