import { describe, expect, test } from 'bun:test'
import { createRedactor, redactJsonDocument, redactJsonLines, redactTranscript } from './redact.ts'

const redactor = createRedactor({ emails: false, phones: false, rules: [] })
const key = 'xK9fT2mQ7bL4vR8nW3cY6hJ1'
const github = `${'ghp'}_${'a1B2c3D4e5F6'.repeat(3)}`

describe('in a JSON line', () => {
  test.each([
    [
      'only the string with the secret changes',
      `{"b" :1.0,  "a":"k ${key}", "c":"\\u003cx\\/y"}`,
      '{"b" :1.0,  "a":"k REDACTED", "c":"\\u003cx\\/y"}',
    ],
    [
      'an equal value under a skipped key stays',
      `{"id":"${key}","text":"${key}"}`,
      `{"id":"${key}","text":"REDACTED"}`,
    ],
    [
      'ids, signatures and paths stay',
      `{"toolUseIds":["${key}"],"signature":"${key}","cwd":"/${key}"}`,
      undefined,
    ],
    ['an object under a skipped key does not', `{"root":{"text":"${key}"}}`, '{"root":{"text":"REDACTED"}}'],
    [
      'pictures stay, wherever their type is',
      `[{"data":"${key}","type":"image/png"},{"type":"base64","x":{"data":"${key}"}}]`,
      undefined,
    ],
    [
      'text after a picture is redacted',
      `[{"type":"image","data":"${key}"},"${key}"]`,
      `[{"type":"image","data":"${key}"},"REDACTED"]`,
    ],
    ['keys stay', `{"${key}":"x"}`, undefined],
    [
      'a known format is a secret in a key, an id and a path',
      `{"${github}":1,"id":"${github}","cwd":"/home/${github}/x","file_path":"a/${github}.txt"}`,
      '{"REDACTED":1,"id":"REDACTED","cwd":"/home/REDACTED/x","file_path":"a/REDACTED.txt"}',
    ],
    [
      'the name of a value may be the value of a name',
      '[{"name":"DB_PASSWORD","value":"hunter2"},{"value":"hunter2","name":"greeting"}]',
      '[{"name":"DB_PASSWORD","value":"REDACTED"},{"value":"hunter2","name":"greeting"}]',
    ],
    ['a letter written as an escape hides nothing', `{"a":"\\u0078${key.slice(1)}"}`, '{"a":"REDACTED"}'],
    [
      'an escaped slash hides nothing',
      '{"a":"postgres:\\/\\/app:hunter2@db"}',
      '{"a":"postgres://app:REDACTED@db"}',
    ],
    [
      'a login has a secret password',
      '{"host":"db","user":"app","password":"hunter"}',
      '{"host":"db","user":"app","password":"REDACTED"}',
    ],
    ['a form has none', '{"label":"Log in","password":"Passwort"}', undefined],
    [
      'a member named token is judged by its value',
      '{"access_token":"a1b2c3d4e5f6","token":"word"}',
      '{"access_token":"REDACTED","token":"word"}',
    ],
    [
      'JSON inside a string is text',
      `{"a":"{\\"k\\":\\"\\\\n${key}\\"}"}`,
      '{"a":"{\\"k\\":\\"\\\\nREDACTED\\"}"}',
    ],
    ['a value may be all there is', `"${key}"`, '"REDACTED"'],
  ])('%s', (_, line, expected) => expect(redactJsonLines(line, redactor)).toBe(expected ?? line))
})

test('lines that are not JSON are text, and the others stay byte for byte', () => {
  const text = `{ "a" : 1 }\r\n\n  plain ${key}\n{"cut off": "${key}\n{"a":"${key}"}\r\n`
  const expected = '{ "a" : 1 }\r\n\n  plain REDACTED\n{"cut off": "REDACTED\n{"a":"REDACTED"}\r\n'
  expect(redactJsonLines(text, redactor)).toBe(expected)
  expect(redactTranscript(text, redactor)).toBe(expected)
})

test('a pretty-printed document is understood as a whole', () => {
  const text = `{\n  "messages": [\n    { "id": "${key}", "text": "${key}" }\n  ]\n}\n`
  const expected = `{\n  "messages": [\n    { "id": "${key}", "text": "REDACTED" }\n  ]\n}\n`
  expect(redactJsonDocument(text, redactor)).toBe(expected)
  expect(redactTranscript(text, redactor)).toBe(expected)
})

test('a truncated document is redacted line by line', () => {
  expect(redactTranscript(`{\n  "text": "${key}",\n`, redactor)).toBe('{\n  "text": "REDACTED",\n')
})

test('a byte order mark is kept', () => {
  expect(redactTranscript(`\uFEFF{"id":"${key}"}\n{"a":"${key}"}`, redactor)).toBe(
    `\uFEFF{"id":"${key}"}\n{"a":"REDACTED"}`,
  )
})

test('a text without secrets is returned as it is', () => {
  const text = '{"a":"b"}\n'.repeat(1000)
  expect(redactTranscript(text, redactor)).toBe(text)
  expect(redactTranscript('', redactor)).toBe('')
})
