import { expect, test } from 'bun:test'
import { tempRepo } from '../../test/support/repo.ts'
import { blobOid, isOid } from './oid.ts'

test.each(['plain', 'sha256'] as const)('%s: the id of a blob is the one git gives it', async (kind) => {
  await using temp = await tempRepo({ kind })
  const head = await temp.head()
  for (const content of ['', 'text\n', 'a\0b']) {
    temp.write('blob', content)
    expect(blobOid(Buffer.from(content), head)).toBe(await temp.git('hash-object', 'blob'))
  }
  expect(isOid(head)).toBe(true)
})

test('short, long and upper-case ids are not valid', () => {
  expect(['', 'a'.repeat(39), 'a'.repeat(41), 'A'.repeat(40), `${'a'.repeat(40)}\n`].map(isOid)).toEqual(
    Array(5).fill(false),
  )
})
