import { expect, test } from 'bun:test'
import { droidGenerator } from '../factoryai-droid/index.ts'
import { geminiGenerator } from '../gemini/index.ts'
import { claudeGenerator } from './index.ts'

test('a model is one word with its flag, so that it cannot be taken for another flag', () => {
  expect(claudeGenerator.command({ model: '-x' })).toEqual([
    'claude',
    '--print',
    '--output-format',
    'json',
    '--setting-sources',
    '',
    '--model=-x',
  ])
  expect(geminiGenerator.command({ model: 'flash' })).toEqual([
    'gemini',
    '--output-format',
    'json',
    '--model=flash',
  ])
  expect(droidGenerator.command({ model: 'opus' })).toEqual([
    'droid',
    'exec',
    '--output-format',
    'json',
    '--model=opus',
  ])
  expect(claudeGenerator.command({}).join(' ')).not.toContain('--model')
})

test.each([
  [claudeGenerator, '{"type":"result","subtype":"success","is_error":false,"result":"hi"}'],
  [claudeGenerator, 'warning: x\n[{"type":"system"},{"type":"result","result":"hi"}]'],
  [claudeGenerator, '[{"type":"system"},{"type":"result","result":"hi"}]\n'],
  [droidGenerator, '{"type":"result","subtype":"success","is_error":false,"result":"hi","session_id":"x"}'],
  [geminiGenerator, '{"response":"hi","stats":{}}'],
  [geminiGenerator, 'Loaded cached credentials.\n{\n  "response": "hi",\n  "stats": {}\n}\n'],
])('the answer is found in the output (%#)', (generator, output) => {
  expect(generator.parseAnswer(output)).toBe('hi')
})

test.each([
  [
    claudeGenerator,
    '{"type":"result","is_error":true,"result":"Credit balance is too low"}',
    'Credit balance is too low',
  ],
  [claudeGenerator, 'Invalid API key', 'It printed no result.'],
  [claudeGenerator, '', 'It printed no result.'],
  [droidGenerator, '{"type":"result","is_error":true,"result":"No API key"}', 'No API key'],
  [geminiGenerator, '{"error":{"type":"Error","message":"quota exceeded"}}', 'quota exceeded'],
  [geminiGenerator, '{"response":""}', 'It printed no response.'],
])('output without an answer gives the reason (%#)', (generator, output, why) => {
  expect(() => generator.parseAnswer(output)).toThrow(why)
})
