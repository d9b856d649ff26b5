import { expect, test } from 'bun:test'
import { tempRepo } from '../../test/support/repo.ts'
import {
  appendTrailer,
  checkpointTrailer,
  readCheckpointIds,
  readTrailer,
  removeTrailer,
  userText,
} from './trailers.ts'

const id = 'a1b2c3d4e5f6'
const other = '0123456789ab'
const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const trailer = `Entire-Checkpoint: ${id}`
const scissors = '# ------------------------ >8 ------------------------'
const comments = '# Please enter the commit message for your changes.\n#\n# On branch main\n#\tmodified: a\n'

test.each([
  ['one', `fix\n\n${trailer}\n`, [id]],
  ['none', 'fix\n\nbody\n', []],
  ['no message', '', []],
  [
    'several, in order, once each',
    `fix\n\n${trailer}\nEntire-Checkpoint: ${other}\n${trailer}\n`,
    [id, other],
  ],
  ['among others', `fix\n\nSigned-off-by: A <a@b>\n${trailer}\nReviewed-by: B\n`, [id]],
  ['a ULID', `fix\n\nEntire-Checkpoint: ${ulid}\n`, [ulid]],
  ['any case of the key', `fix\n\nentire-checkpoint:${id}\n`, [id]],
  ['no id', 'fix\n\nEntire-Checkpoint: nothing\n', []],
  ['an id that is too long', `fix\n\n${trailer}00\n`, []],
  ['an id with words after it', `fix\n\n${trailer} (squashed)\n`, [id]],
  ['the id on the next line', `fix\n\nEntire-Checkpoint:\n  ${id}\n`, [id]],
  ['forged in the body', `fix\n\n${trailer}\n\nThe end.\n`, []],
  ['quoted in the body', `fix\n\n> ${trailer}\n`, []],
  ['as the subject', `${trailer}\n`, []],
  ['as the subject of a longer message', `${trailer}\n\nbody\n`, []],
  ['right below the subject, as older versions wrote it', `feat: x\n${trailer}\n`, [id]],
  ['with a cherry-pick line', `fix\n\n${trailer}\n(cherry picked from commit ${'a'.repeat(40)})\n`, [id]],
  ['CRLF', `fix\r\n\r\nbody\r\n\r\n${trailer}\r\n`, [id]],
  ['above comments', `fix\n\n${trailer}\n\n${comments}`, [id]],
  ['with nothing else, in the editor', `\n\n${trailer}\n\n${comments}`, [id]],
  ['only below the scissors', `fix\n\nbody\n\n${scissors}\n# Do not modify\n\n${trailer}\n`, []],
  ['above the scissors', `fix\n\n${trailer}\n\n${comments}${scissors}\ndiff --git a b\n+x: y\n`, [id]],
])('read: %s', (_, message, ids) => {
  expect(readCheckpointIds(message)).toEqual(ids)
})

test('an empty trailer does not swallow the one below', () => {
  const message = 'carry forward\n\nEntire-Metadata: \nEntire-Session: s1\n'
  expect([readTrailer(message, 'Entire-Metadata'), readTrailer(message, 'Entire-Session')]).toEqual([
    [''],
    ['s1'],
  ])
})

test.each([
  ['a subject', 'fix the parser\n', `fix the parser\n\n${trailer}\n`],
  ['a subject that looks like a trailer', 'feat: x\n', `feat: x\n\n${trailer}\n`],
  ['the same after empty lines', '\nfeat: x\n', `\nfeat: x\n\n${trailer}\n`],
  ['two lines that look like trailers', 'feat: x\nfix: y\n', `feat: x\nfix: y\n\n${trailer}\n`],
  ['a body', 'fix\n\nbody text\n', `fix\n\nbody text\n\n${trailer}\n`],
  ['a body with a colon', 'fix\n\nNote: this\nis prose\n', `fix\n\nNote: this\nis prose\n\n${trailer}\n`],
  ['trailers', 'fix\n\nSigned-off-by: A <a@b>\n', `fix\n\nSigned-off-by: A <a@b>\n${trailer}\n`],
  ['a folded trailer', 'fix\n\nNote: a\n  b\n', `fix\n\nNote: a\n  b\n${trailer}\n`],
  ['no final newline', 'fix', `fix\n\n${trailer}\n`],
  ['many final newlines', 'fix\n\n\n\n', `fix\n\n${trailer}\n`],
  ['nothing', '', `\n\n${trailer}\n`],
  ['comments', `fix\n\n${comments}`, `fix\n\n${trailer}\n\n${comments}`],
  ['comments only', `\n${comments}`, `\n\n${trailer}\n\n${comments}`],
  ['trailers and comments', `fix\n\nA: b\n${comments}`, `fix\n\nA: b\n${trailer}\n\n${comments}`],
  [
    'comments and a diff',
    `fix\n\n${comments}${scissors}\ndiff\n+A: b\n`,
    `fix\n\n${trailer}\n\n${comments}${scissors}\ndiff\n+A: b\n`,
  ],
  ['an issue number at the end', 'fix\n\n#123\n', `fix\n\n#123\n\n${trailer}\n`],
  ['CRLF', 'fix\r\n\r\nA: b\r\n', `fix\r\n\r\nA: b\r\n${trailer}\r\n`],
])('append to %s', (_, message, expected) => {
  expect(appendTrailer(message, checkpointTrailer, id)).toBe(expected)
  expect(readCheckpointIds(expected)).toEqual([id])
})

test('another comment mark works the same', () => {
  const theirs = comments.replaceAll(/^#/gm, ';')
  const written = appendTrailer(`fix\n\nA: b\n${theirs}`, checkpointTrailer, id, ';')
  expect(written).toBe(`fix\n\nA: b\n${trailer}\n\n${theirs}`)
  expect(readCheckpointIds(written, ';')).toEqual([id])
  expect(userText(written, ';')).toBe('fix\n\nA: b')
})

test.each([
  ['text and trailer', `fix\n\nbody\n\n${trailer}\n\n${comments}`, 'fix\n\nbody'],
  ['trailer only', `\n\n${trailer}\n\n${comments}`, ''],
  ['a diff only', `\n\n${trailer}\n${scissors}\n+code\n`, ''],
  ['an issue number', '#123\n', '#123'],
])('a message by the user: %s', (_, message, expected) => {
  expect(userText(message)).toBe(expected)
})

test('removing a trailer keeps the rest', () => {
  expect(removeTrailer(`fix\n\nA: b\n${trailer}\n# c\n`, checkpointTrailer)).toBe('fix\n\nA: b\n# c\n')
  expect(removeTrailer(`fix\r\n${trailer}\r\n`, checkpointTrailer)).toBe('fix\r\n')
})

test.each([
  ['fix', []],
  ['feat: x', []],
  ['fix\n\nbody', []],
  ['fix\n\nA: b', []],
  ['fix', ['-v', '-e']],
  ['fix', ['-v', '-e', '--cleanup=scissors']],
  ['fix', ['-e']],
])('git finds the trailer appended to %p with %p', async (message, options) => {
  await using temp = await tempRepo()
  await temp.hook(
    'prepare-commit-msg',
    `exec '${process.execPath}' -e '
    import { appendTrailer } from ${JSON.stringify(`${import.meta.dir}/trailers.ts`)}
    const file = Bun.file(process.argv[1])
    await Bun.write(process.argv[1], appendTrailer(await file.text(), "Entire-Checkpoint", "${id}"))' "$1"`,
  )
  temp.write('a', 'Entire-Checkpoint: 000000000000\n')
  await temp.git('add', 'a')
  await temp.git('commit', '-q', '-m', message, ...options)
  expect(
    await temp.git('log', '-1', '--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=%x2C)'),
  ).toBe(id)
  expect(readCheckpointIds(await temp.git('log', '-1', '--format=%B'))).toEqual([id])
})
