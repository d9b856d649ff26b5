import { describe, expect, test } from 'bun:test'
import { overlaps, remainingFiles, shareLines, type TouchedFile, touchesCommit } from './overlap.ts'

const unasked = () => {
  throw new Error('contents were not needed')
}

describe('a commit contains work of a session when', () => {
  const cases: [string, TouchedFile[], boolean][] = [
    [
      'a file that was there before is edited, whatever its content',
      [{ path: 'a', changed: { before: '1', after: '9' }, stepOid: '2' }],
      true,
    ],
    [
      'a touched file is deleted',
      [{ path: 'a', changed: { before: '1', after: undefined }, stepOid: undefined }],
      true,
    ],
    [
      'a new file is as the session left it',
      [{ path: 'a', changed: { before: undefined, after: '2' }, stepOid: '2' }],
      true,
    ],
    [
      'one of several files is',
      [
        { path: 'a', stepOid: '1' },
        { path: 'b', changed: { before: '1', after: '2' }, stepOid: '2' },
      ],
      true,
    ],
  ]
  test.each(cases)('%s', async (_, files, expected) => {
    expect(await overlaps(files, unasked)).toBe(expected)
  })
})

describe('a commit does not contain work of a session when', () => {
  const cases: [string, TouchedFile[]][] = [
    ['no touched file is in it', [{ path: 'a', stepOid: '2' }]],
    [
      'a new file has a name the session used, but no step holds it',
      [{ path: 'a', changed: { before: undefined, after: '2' }, stepOid: undefined }],
    ],
    ['the session touched nothing', []],
  ]
  test.each(cases)('%s', async (_, files) => {
    expect(await overlaps(files, unasked)).toBe(false)
  })
})

test('a new file with other content counts when the two share lines', async () => {
  const files: TouchedFile[] = [{ path: 'a', changed: { before: undefined, after: '3' }, stepOid: '2' }]
  expect(await overlaps(files, () => true)).toBe(true)
  expect(await overlaps(files, async () => false)).toBe(false)
})

test('contents are not loaded when another file already decides', async () => {
  const files: TouchedFile[] = [
    { path: 'a', changed: { before: undefined, after: '3' }, stepOid: '2' },
    { path: 'b', changed: { before: '1', after: '2' }, stepOid: '2' },
  ]
  expect(await overlaps(files, unasked)).toBe(true)
})

test('without a step only paths decide', () => {
  expect(touchesCommit([{ changed: { before: undefined, after: '1' } }])).toBe(true)
  expect(touchesCommit([{}])).toBe(false)
})

describe('lines in common', () => {
  const [one, two, three] = ['const alpha = 1', 'const beta = 2', 'const gamma = 3']
  test.each([
    ['two telling lines are enough', `${one}\n${two}\nx`, `y\n  ${two}\n${one}`, true],
    ['one of several is not', `${one}\n${two}`, `${one}\n${three}`, false],
    ['the same line twice counts once', `${one}\n${one}\n${two}`, `${one}\n${one}\n${three}`, false],
    ['one is enough where a text has no other', one, `${one}\n${two}`, true],
    ['short lines tell nothing', '}\n{\n123456789', '}\n{\n123456789', false],
    ['empty texts share nothing', '', '', false],
  ])('%s', (_, a, b, expected) => {
    expect(shareLines(a, b)).toBe(expected)
    expect(shareLines(b, a)).toBe(expected)
  })
})

describe('after a commit', () => {
  const committed = (after: string | undefined) => new Map([['a', { before: undefined, after }]])
  const blobs = (oid?: string) => new Map(oid === undefined ? [] : [['a', oid]])
  test.each([
    ['a file not committed remains', new Map(), blobs('2'), blobs('2'), ['a']],
    [
      'a file not committed that is gone from disk, stashed perhaps, remains',
      new Map(),
      blobs('2'),
      blobs(),
      ['a'],
    ],
    ['a deletion that is not committed remains', new Map(), blobs(), blobs(), ['a']],
    ['a file committed as the session left it does not', committed('2'), blobs('2'), blobs('2'), []],
    ['a file committed in part remains', committed('1'), blobs('2'), blobs('2'), ['a']],
    ['a file edited by the user and committed whole does not', committed('3'), blobs('2'), blobs('3'), []],
    ['a committed file that no step holds does not', committed('3'), blobs(), blobs('4'), []],
    ['a file taken out of git but left on disk remains', committed(undefined), blobs('2'), blobs('2'), ['a']],
    ['a file deleted in the commit and on disk does not', committed(undefined), blobs('2'), blobs(), []],
    ['without a step, what was not committed remains', new Map(), undefined, blobs(), ['a']],
    ['without a step, what was committed does not', committed('1'), undefined, blobs('2'), []],
  ])('%s', (_, commit, step, worktree, expected) => {
    expect(remainingFiles(['a'], { committed: commit, step, worktree })).toEqual(expected)
  })
})
