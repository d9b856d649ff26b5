// Rewind points are found, labelled and formatted.
import { expect, test } from 'bun:test'
import type { RewindPoint } from '../../rewind/points.ts'
import { findPoint, formatPoint, labelPoint } from './points.ts'

const point = (id: string, fields: Partial<RewindPoint> = {}): RewindPoint => ({
  id: id.padEnd(40, '0'),
  message: 'Make it',
  date: '2026-11-15T12:00:00+00:00',
  metadataDir: '.entire/metadata/s1',
  isTask: false,
  isLogsOnly: false,
  session: 's1',
  ...fields,
})

test('a point is found by its id or at least seven digits of it, unless they are ambiguous', () => {
  const points = [point('abcdef0123'), point('abcdef0199'), point('1234567')]
  expect(findPoint(points, points[0]?.id ?? '')).toBe(points[0]!)
  expect(findPoint(points, '1234567')).toBe(points[2]!)
  expect(() => findPoint(points, '123456')).toThrow('rewind point not found: 123456')
  expect(() => findPoint(points, 'abcdef01')).toThrow(
    'ambiguous rewind point prefix "abcdef01" matches 2 rewind points: abcdef012300, abcdef019900',
  )
  expect(() => findPoint(points, 'no\x1b[2Jthing')).toThrow('rewind point not found: nothing')
})

test('a label names commits, marks tasks, and shows prompts only if there are several sessions', () => {
  const time = expect.stringMatching(/^ {8}\(2026-11-1\d \d\d:\d\d\) Make it$/)
  expect(labelPoint(point('a'), [point('a')])).toEqual(time)
  const several = [point('a', { prompt: 'do\x1b[1m it' }), point('b', { session: 's2' })]
  expect(labelPoint(several[0]!, several)).toEndWith(') Make it [do it]')
  expect(labelPoint(point('a', { isTask: true }), [])).toEndWith(') [Task] Make it')
  expect(labelPoint(point('abcdef0', { isLogsOnly: true, checkpoint: 'a3b2c4d5e6f7' }), [])).toStartWith(
    'abcdef0 (2026-',
  )
})

test('the JSON of a point has the documented fields, and omits absent ones', () => {
  expect(formatPoint(point('a'))).toEqual({
    id: point('a').id,
    message: 'Make it',
    metadata_dir: '.entire/metadata/s1',
    date: '2026-11-15T12:00:00+00:00',
    is_task_checkpoint: false,
    is_logs_only: false,
    session_id: 's1',
  })
  const full = point('a', { isTask: true, toolUse: 'toolu_1', checkpoint: 'a3b2c4d5e6f7', prompt: 'p' })
  expect(formatPoint(full)).toMatchObject({
    tool_use_id: 'toolu_1',
    condensation_id: 'a3b2c4d5e6f7',
    session_prompt: 'p',
  })
})
