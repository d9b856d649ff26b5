// Greets the user of an agent when a session starts.
import type { EventWork } from '../sessions/event-work.ts'

const banner = '\n\nPowered by Entire:\n  This conversation will be linked to your next commit.'

export async function greet({ recorder, agent, event, live, objects }: EventWork): Promise<void> {
  if (agent.hookResponse === undefined) return
  const head = (await objects.info('HEAD'))?.oid
  const others = [...live.sessions].filter(
    ([id, entry]) => id !== event.session && entry.files.length > 0 && entry.base === head,
  ).length
  const company =
    others === 0
      ? ''
      : `\n  ${others} other active conversation(s) in this workspace will also be included.\n  Use 'entire status' for more information.`
  recorder.respond(await agent.hookResponse(event.responseMessage ?? `${banner}${company}`))
}
