// A summary in what a model answered: JSON as it was asked for, with or without words and fences around it.
import { parseSummary } from '../../checkpoints/record.ts'
import type { CheckpointSummary } from '../../model/checkpoint.ts'
import { findObjects } from '../../std/embedded-json.ts'

const longestText = 2_000
const mostItems = 50

/** Undefined when there is none. */
export function parseAnswer(answer: string): CheckpointSummary | undefined {
  const found = findObjects(answer).map(parseSummary)
  const summary = found.findLast((each) => each !== undefined && each.intent.trim() !== '' && each.outcome.trim() !== '')
  return summary && bounded(summary)
}

// A model that talks without end does not fill the repository.
function bounded({ intent, outcome, learnings, friction, openItems }: CheckpointSummary): CheckpointSummary {
  return {
    intent: short(intent),
    outcome: short(outcome),
    learnings: {
      repo: some(learnings.repo).map(short),
      code: some(learnings.code).map((each) => ({ ...each, path: short(each.path), finding: short(each.finding) })),
      workflow: some(learnings.workflow).map(short),
    },
    friction: some(friction).map(short),
    openItems: some(openItems).map(short),
  }
}

function some<T>(items: T[]): T[] {
  return items.slice(0, mostItems)
}

function short(text: string): string {
  const said = text.trim()
  return said.length > longestText ? `${said.slice(0, longestText)}…` : said
}
