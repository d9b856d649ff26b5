// Archives can be read by tar.
import { expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../../test/support/process.ts'
import { tempDir } from '../../../test/support/repo.ts'
import { formatTar } from './bundle.ts'

test('tar extracts the files unchanged', async () => {
  await using dir = tempDir()
  const files = [
    { name: 'empty.txt', text: '' },
    { name: 'full.txt', text: 'x'.repeat(512) },
    { name: 'long.json', text: `{"text":"${'é'.repeat(5000)}"}\n` },
  ]
  const archive = join(dir.base, 'a.tar')
  writeFileSync(archive, formatTar(files, new Date('2026-02-10T12:00:00Z')))
  const ran = await runProgram(['tar', '-xf', archive], { cwd: dir.base, env: dir.env })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  for (const { name, text } of files) expect(readFileSync(join(dir.base, name), 'utf8')).toBe(text)
  expect(statSync(join(dir.base, 'full.txt')).mtime.toISOString()).toBe('2026-02-10T12:00:00.000Z')
  expect(statSync(join(dir.base, 'full.txt')).mode & 0o777).toBe(0o600)
})
