import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { eventTypes } from '../../model/event.ts'
import {
  eventNumbers,
  findEventType,
  formatEvent,
  type PluginEvent,
  parseEvent,
  type WireEvent,
} from './event.ts'

test('events have the numbers 1 to 7, in the order of the model', () => {
  expect(eventTypes.map((type) => eventNumbers[type])).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(findEventType(3)).toBe('turn-end')
  expect(findEventType(9)).toBeUndefined()
})

test('an event has snake-case names on the wire', () => {
  const event: PluginEvent = {
    type: 'subagent-end',
    session: 's',
    previousSession: 'p',
    transcript: '/t',
    toolUse: 'u',
    subagent: 'a',
    subagentTranscript: '/a',
    toolInput: { x: 1 },
    final: false,
    metadata: { k: 'v' },
  }
  expect(formatEvent(event)).toEqual({
    type: 7,
    session_id: 's',
    previous_session_id: 'p',
    session_ref: '/t',
    tool_use_id: 'u',
    subagent_id: 'a',
    subagent_transcript_path: '/a',
    tool_input: { x: 1 },
    final: false,
    metadata: { k: 'v' },
  })
})

test('an unknown event is ignored', () => {
  expect(parseEvent({ type: 8, session_id: 's' })).toBeUndefined()
})

test('an event survives the wire', () => {
  const text = fc.string({ minLength: 1 })
  const event = fc.record(
    {
      type: fc.constantFrom(...eventTypes),
      session: text,
      prompt: text,
      model: text,
      transcript: text,
      taskDescription: text,
      responseMessage: text,
      final: fc.boolean(),
    },
    { requiredKeys: ['type', 'session'] },
  )
  fc.assert(
    fc.property(event, (given) => {
      expect(parseEvent(JSON.parse(JSON.stringify(formatEvent(given as PluginEvent))) as WireEvent)).toEqual(
        given as PluginEvent,
      )
    }),
    { seed: Number(process.env.ENTIRE_TEST_SEED ?? 4) },
  )
})
