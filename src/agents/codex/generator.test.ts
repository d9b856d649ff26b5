import { expect, test } from 'bun:test'
import { codexGenerator } from './index.ts'

test('the generator keeps no rollout, changes nothing, and reads the prompt from standard input', () => {
  expect(codexGenerator.command({ model: '-x' })).toEqual([
    ...[
      'codex',
      'exec',
      '--json',
      '--ephemeral',
      '--skip-git-repo-check',
      '--sandbox=read-only',
      '--model=-x',
      '-',
    ],
  ])
  expect(codexGenerator.command({}).join(' ')).not.toContain('--model')
})

const events = (...list: object[]) => list.map((event) => JSON.stringify(event)).join('\n')
const message = (text: string) => ({
  type: 'item.completed',
  item: { id: 'item_1', type: 'agent_message', text },
})

test('the answer is the last message', () => {
  const output = events({ type: 'thread.started' }, message('thinking'), message('{"a":1}'), {
    type: 'turn.completed',
    usage: {},
  })
  expect(codexGenerator.parseAnswer(`warning: x\n${output}\n`)).toBe('{"a":1}')
})

test.each([
  [events({ type: 'error', message: 'no key' }), 'no key'],
  [events({ type: 'turn.failed', error: { message: 'quota exceeded' } }), 'quota exceeded'],
  ['', 'It printed no message.'],
])('output without an answer gives the reason (%#)', (output, why) => {
  expect(() => codexGenerator.parseAnswer(output)).toThrow(why)
})
