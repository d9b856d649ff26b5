// Cuts a list into numbered lists in the wrong order, as only this plugin can join them. `cut <bytes>`, or `join`.
import { readFileSync } from 'node:fs'

const [act, max] = process.argv.slice(2)
const input = readFileSync(0)

if (act === 'cut') {
  const pieces = []
  for (const item of JSON.parse(input.toString())) {
    const size = JSON.stringify(item).length
    const last = pieces.at(-1)
    if (last === undefined || last.size + size > Number(max) - 100) pieces.push({ size, items: [item] })
    else {
      last.items.push(item)
      last.size += size + 1
    }
  }
  const texts = pieces.map(({ items }, piece) => JSON.stringify({ piece, items })).reverse()
  console.log(JSON.stringify({ chunks: texts.map((text) => Buffer.from(text).toString('base64')) }))
} else {
  const pieces = JSON.parse(input.toString()).chunks.map((chunk) =>
    JSON.parse(Buffer.from(chunk, 'base64').toString()),
  )
  process.stdout.write(JSON.stringify(pieces.sort((a, b) => a.piece - b.piece).flatMap(({ items }) => items)))
}
