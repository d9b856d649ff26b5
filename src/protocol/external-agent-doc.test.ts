import { expect, test } from 'bun:test'
import { externalAgentReference } from '../../scripts/docs/external-agent-protocol.ts'
import { externalAgentSchemas } from '../../scripts/external-agent-schemas.ts'
import { parseWireMessage } from './external-agent/answer.ts'
import { examples } from './external-agent/examples.ts'
import { type MessageName, messages } from './external-agent/messages.ts'
import { subcommands } from './external-agent/table.ts'

test('the reference names every subcommand with its arguments, and links to schemas that exist', () => {
  const text = externalAgentReference()
  for (const name of Object.keys(subcommands)) expect(text).toMatch(new RegExp(`\`${name}[ \`]`))
  expect(text).toContain('| `install-hooks [--local-dev] [--force]` | – |')
  expect(text).toContain('| 7 | SubagentEnd |')
  const linked = [...text.matchAll(/schemas\/external-agent\/([\w-]+\.json)/g)].map(([, file]) => file)
  expect([...new Set(linked)].sort()).toEqual(Object.keys(externalAgentSchemas()).sort())
})

test.each(Object.keys(messages) as MessageName[])(
  '%s has a valid example in the reference and in its schema',
  (name) => {
    expect(parseWireMessage(name, examples[name])).toMatchObject({ ok: true })
    expect(externalAgentReference()).toContain(JSON.stringify(examples[name]))
    expect(JSON.parse(externalAgentSchemas()[`${name}.json`] ?? '').examples).toEqual([examples[name]])
  },
)

test('a schema marks required and nullable fields', () => {
  const files = externalAgentSchemas()
  const event = JSON.parse(files['event.json'] ?? '')
  expect(event.anyOf[0].required).toEqual(['type', 'session_id'])
  expect(event.anyOf[1]).toEqual({ type: 'null' })
  const files0 = JSON.parse(files['files.json'] ?? '')
  expect(files0.required).toEqual(['current_position'])
  expect(files0.properties.files.anyOf).toContainEqual({ type: 'null' })
  expect(files0).not.toHaveProperty('additionalProperties', false)
})
