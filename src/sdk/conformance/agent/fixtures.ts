// Defines the fixtures of an external agent: real payloads and transcripts, and what they must become.

import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import * as v from 'valibot'
import { EntireError, messageOf } from '../../../std/errors.ts'
import { readFixturesFile } from '../fixtures.ts'

const expectations = {
  files: v.optional(v.array(v.string())),
  prompts: v.optional(v.array(v.string())),
  summary: v.optional(v.nullable(v.string())),
  tokens: v.optional(v.record(v.string(), v.unknown())),
}

/**
 * `file` is relative to the fixtures file. In texts and payloads, `{repo}` and `{home}` stand for directories
 * of the sandbox.
 */
const agentFixturesSchema = v.strictObject({
  hooks: v.optional(
    v.array(
      v.strictObject({
        hook: v.string(),
        payload: v.optional(v.unknown()),
        file: v.optional(v.string()),
        /** The fields that the event must have, spelled as in the protocol; null for no event. */
        event: v.nullable(v.record(v.string(), v.unknown())),
      }),
    ),
    [],
  ),
  transcripts: v.optional(
    v.array(
      v.strictObject({
        file: v.optional(v.string()),
        text: v.optional(v.string()),
        session: v.optional(v.string(), 'fixture-session'),
        position: v.optional(v.number()),
        ...expectations,
        /** The same transcript, read from a position on. */
        from: v.optional(v.array(v.strictObject({ offset: v.number(), ...expectations })), []),
      }),
    ),
    [],
  ),
  /** Settings of the agent from before hooks are installed: uninstalling must restore them. */
  settings: v.optional(
    v.array(v.strictObject({ path: v.string(), file: v.optional(v.string()), text: v.optional(v.string()) })),
    [],
  ),
  resume: v.optional(v.strictObject({ session: v.string(), command: v.string() })),
  /** Generating text may cost money: it is tried only when a prompt is given. */
  generate: v.optional(v.strictObject({ prompt: v.string(), model: v.optional(v.string(), '') })),
})

export type AgentFixtures = v.InferOutput<typeof agentFixturesSchema> & { dir: string }
export type HookFixture = AgentFixtures['hooks'][number]
export type TranscriptFixture = AgentFixtures['transcripts'][number]

export function readAgentFixtures(path: string): AgentFixtures {
  const fixtures = readFixturesFile(path, {
    schema: agentFixturesSchema,
    errorCode: 'bad-payload',
    hint: 'Its form is described in docs/write-an-agent-plugin.md.',
  })
  return { ...fixtures, dir: dirname(path) }
}

/** The bytes of a sample: of its file, or of the text in the fixtures. */
export function sampleBytes(
  fixtures: AgentFixtures,
  sample: { file?: string | undefined; text?: string | undefined },
  places: SamplePlaces,
): Buffer {
  if (sample.file === undefined) return Buffer.from(fill(sample.text ?? '', places))
  const path = isAbsolute(sample.file) ? sample.file : join(fixtures.dir, sample.file)
  try {
    return readFileSync(path)
  } catch (error) {
    throw new EntireError('not-found', `The sample ${path} cannot be read: ${messageOf(error)}`, {
      hint: 'Paths in a fixtures file are relative to its directory.',
    })
  }
}

interface SamplePlaces {
  root: string
  home: string
}

export function fill(text: string, { root, home }: SamplePlaces): string {
  return text.replaceAll('{repo}', root).replaceAll('{home}', home)
}

export function fillAll<Value>(value: Value, places: SamplePlaces): Value {
  if (typeof value === 'string') return fill(value, places) as Value
  if (Array.isArray(value)) return value.map((item) => fillAll(item, places)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, places)])) as Value
}
