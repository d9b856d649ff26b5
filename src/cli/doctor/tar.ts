// Writes a tar archive of a few small text files. https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html (ustar)
const blockBytes = 512

export interface ArchivedFile {
  /** At most 100 bytes. */
  name: string
  text: string
}

export function formatTar(files: ArchivedFile[], modifiedAt: Date): Buffer {
  const entries = files.flatMap(({ name, text }) => {
    const content = Buffer.from(text)
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
    return [header(name, content.length, modifiedAt), content, padding]
  })
  // Two empty blocks end an archive.
  return Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)])
}

function header(name: string, size: number, modifiedAt: Date): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`
  const fields: [offset: number, text: string][] = [
    [0, name],
    [100, octal(0o600, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(Math.floor(modifiedAt.getTime() / 1000), 12)],
    // The checksum counts itself as spaces.
    [148, '        '],
    [156, '0'],
    [257, 'ustar\x0000'],
  ]
  for (const [offset, text] of fields) block.write(text, offset)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
