import { expect, test } from 'bun:test'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../../test/support/repo.ts'
import {
  appendWhole,
  emptyFile,
  exists,
  fileSize,
  overwrite,
  readBytes,
  readText,
  removeFile,
  writeAtomic,
} from './file.ts'

test('a missing file is undefined: no file, a directory, a path through a file', async () => {
  await using dir = tempDir()
  writeFileSync(join(dir.base, 'file'), 'x')
  for (const path of ['none', 'home', 'file/below']) {
    expect(readBytes(join(dir.base, path))).toBeUndefined()
    expect(readText(join(dir.base, path))).toBeUndefined()
    expect(fileSize(join(dir.base, path))).toBeUndefined()
  }
  expect([
    exists(join(dir.base, 'none')),
    exists(join(dir.base, 'file/below')),
    exists(join(dir.base, 'home')),
  ]).toEqual([false, false, true])
  expect(fileSize(join(dir.base, 'file'))).toBe(1)
})

test('a write creates directories, replaces the whole file, and leaves no other file', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 'a', 'b', 'file.json')
  writeAtomic(path, 'long content')
  writeAtomic(path, Buffer.of(0, 255), { sync: true })
  expect(readFileSync(path)).toEqual(Buffer.of(0, 255))
  expect(readdirSync(join(dir.base, 'a', 'b'))).toEqual(['file.json'])
})

test('files are private unless a mode is given, and a given mode is set exactly', async () => {
  await using dir = tempDir()
  const modes = ([undefined, 0o644, 0o755, 0o666] as const).map((mode, at) => {
    const path = join(dir.base, `file${at}`)
    writeAtomic(path, '', mode === undefined ? {} : { mode })
    return statSync(path).mode & 0o777
  })
  expect(modes).toEqual([0o600, 0o644, 0o755, 0o666])
})

test('a failed write leaves the target and no temporary file', async () => {
  await using dir = tempDir()
  mkdirSync(join(dir.base, 'target', 'full'), { recursive: true })
  expect(() => writeAtomic(join(dir.base, 'target'), 'x')).toThrow()
  expect(readdirSync(dir.base).sort()).toEqual(['home', 'target'])
  expect(() => writeAtomic(join(dir.base, 'home', '.gitconfig', 'below'), 'x')).toThrow()
})

test('a symlink is replaced, and its target stays as it was', async () => {
  await using dir = tempDir()
  writeFileSync(join(dir.base, 'elsewhere'), 'theirs')
  symlinkSync('elsewhere', join(dir.base, 'link'))
  writeAtomic(join(dir.base, 'link'), 'ours')
  expect(lstatSync(join(dir.base, 'link')).isFile()).toBe(true)
  expect(readFileSync(join(dir.base, 'elsewhere'), 'utf8')).toBe('theirs')
})

test('removing a missing file is fine', async () => {
  await using dir = tempDir()
  for (const path of ['none', 'home/.gitconfig/below'])
    expect(() => removeFile(join(dir.base, path))).not.toThrow()
})

test('overwriting, emptying and appending keep the file itself', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 'note')
  overwrite(path, 'a long first note')
  const { ino, mode } = statSync(path)
  expect(mode & 0o777).toBe(0o600)
  overwrite(path, 'short')
  expect(readText(path)).toBe('short')
  appendWhole(path, ' and ä')
  expect(readText(path)).toBe('short and ä')
  emptyFile(path)
  expect([readText(path), statSync(path).ino]).toEqual(['', ino])
  emptyFile(join(dir.base, 'none'))
  expect(exists(join(dir.base, 'none'))).toBe(false)
})

test('when the disk has room for only half of the text, nothing is appended', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 'message')
  const before = 'm'.repeat(500)
  writeFileSync(path, before)
  // A block has 512 bytes.
  const program = `import { appendWhole } from '${join(import.meta.dir, 'file.ts')}'; try { appendWhole('${path}', 'x'.repeat(40)) } catch (error) { console.log(error.code) }`
  const done = Bun.spawnSync([
    'sh',
    '-c',
    `trap '' XFSZ; ulimit -f 1; exec "$0" -e "$1"`,
    process.execPath,
    program,
  ])
  expect([done.stdout.toString().trim(), readText(path)]).toEqual(['EFBIG', before])
})
