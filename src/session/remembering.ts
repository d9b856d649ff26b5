// Many sessions ask the same questions about one commit: git is asked once.
import type { FreshBlob } from '../checkpoints/chunk-writer.ts'
import type { ObjectReader } from '../git/cat-file.ts'

/** Answers about refs hold until our own import moves them. */
export function remembering(reader: ObjectReader): { objects: ObjectReader; remember(blob: FreshBlob): void; forget(): void } {
  const infos = new Map<string, ReturnType<ObjectReader['info']>>()
  // What was just written can be read by others only when the import has ended.
  const fresh = new Map<string, Buffer>()
  const info: ObjectReader['info'] = async (name) => {
    const content = fresh.get(name)
    if (content !== undefined) return { oid: name, type: 'blob', size: content.length }
    const known = infos.get(name) ?? reader.info(name)
    infos.set(name, known)
    return known
  }
  const tips = new Map<string, ReturnType<ObjectReader['contents']>>()
  const contents: ObjectReader['contents'] = async (name) => {
    const content = fresh.get(name)
    if (content !== undefined) return { oid: name, type: 'blob', size: content.length, content }
    if (!name.startsWith('refs/')) return reader.contents(name)
    const known = tips.get(name) ?? reader.contents(name)
    tips.set(name, known)
    return known
  }
  return {
    objects: { ...reader, info, contents },
    remember: ({ oid, content }) => fresh.set(oid, content),
    forget: () => {
      infos.clear()
      fresh.clear()
      tips.clear()
    },
  }
}
