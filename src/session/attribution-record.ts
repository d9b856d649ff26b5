// The file form of what the user changed before a prompt.
import type { PromptAttribution } from '../model/session.ts'
import { asNumber, asObject, type JsonObject } from '../std/json.ts'

export function formatAttribution(attribution: PromptAttribution): JsonObject {
  return {
    checkpoint_number: attribution.number,
    user_lines_added: attribution.userAdded,
    user_lines_removed: attribution.userRemoved,
    agent_lines_added: attribution.agentAdded,
    agent_lines_removed: attribution.agentRemoved,
    ...(Object.keys(attribution.userAddedPerFile).length === 0 ? {} : { user_added_per_file: attribution.userAddedPerFile }),
  }
}

export function parseAttribution(value: unknown): PromptAttribution {
  const record = asObject(value) ?? {}
  const number = (key: string) => asNumber(record[key]) ?? 0
  const perFile = asObject(record.user_added_per_file) ?? {}
  const isNumber = (count: unknown) => typeof count === 'number'
  return {
    number: number('checkpoint_number'),
    userAdded: number('user_lines_added'),
    userRemoved: number('user_lines_removed'),
    agentAdded: number('agent_lines_added'),
    agentRemoved: number('agent_lines_removed'),
    userAddedPerFile: (Object.values(perFile).every(isNumber)
      ? perFile
      : Object.fromEntries(Object.entries(perFile).filter(([, count]) => isNumber(count)))) as Record<string, number>,
  }
}
