// Cuts a list into numbered lists in the wrong order, as only this plugin can join them: `cut <bytes>`, `join`.
// `write` puts a session log in its place.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const [act, max] = process.argv.slice(2)
const input = readFileSync(0)

if (act === 'cut') {
  const chunks = []
  for (const item of JSON.parse(input.toString())) {
    const size = JSON.stringify(item).length
    const last = chunks.at(-1)
    if (last === undefined || last.size + size > Number(max) - 100) chunks.push({ size, items: [item] })
    else {
      last.items.push(item)
      last.size += size + 1
    }
  }
  const texts = chunks.map(({ items }, chunk) => JSON.stringify({ chunk, items })).reverse()
  console.log(JSON.stringify({ chunks: texts.map((text) => Buffer.from(text).toString('base64')) }))
} else if (act === 'write') {
  const { session_ref: path, native_data: data } = JSON.parse(input.toString())
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, Buffer.from(data, 'base64'))
} else {
  const chunks = JSON.parse(input.toString()).chunks.map((chunk) =>
    JSON.parse(Buffer.from(chunk, 'base64').toString()),
  )
  process.stdout.write(JSON.stringify(chunks.sort((a, b) => a.chunk - b.chunk).flatMap(({ items }) => items)))
}
