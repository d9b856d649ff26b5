import { expect, test } from 'bun:test'
import { cleanPiPrompt } from './hooks.ts'

const skill =
  '<skill name="review" location="/s/review/SKILL.md">\nReferences are relative to /s/review.\n\nBe strict.\n</skill>'

test.each([
  ['create hello.txt', 'create hello.txt'],
  [skill, '/skill:review'],
  [`${skill}\n\nthe parser`, '/skill:review the parser'],
  ['<file name="/w/notes.md">\n# Notes\n\ntext\n</file>\nsum it up', '@/w/notes.md sum it up'],
  ['<file name="/w/a.png"></file>\n<file name="/w/b.txt">\nb\n</file>\nlook', '@/w/a.png @/w/b.txt look'],
  ['<file name="/w/a.png">[Image: original 4000x3000]</file>\n', '@/w/a.png'],
  ['about <file name="x">\nthis\n</file>\n', 'about <file name="x">\nthis\n</file>'],
  ['<system-reminder>hm</system-reminder>do it', 'do it'],
  ['<system-reminder>hm</system-reminder>', undefined],
  ['  ', undefined],
])('%j was typed as %j', (prompt, typed) => {
  expect(cleanPiPrompt(prompt)).toBe(typed)
})
