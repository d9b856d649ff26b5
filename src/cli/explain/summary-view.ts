// What was wanted and what came of it: the summary of a session, or the prompt where there is none.
import type { CheckpointSummary } from '../../model/checkpoint.ts'
import { clean, cut } from '../render/text.ts'

export function summaryLines(summary: CheckpointSummary | undefined, prompt: string | undefined): string[] {
  if (summary === undefined) return [`Intent: ${prompt === undefined ? '(unknown)' : cut(prompt, 80)}`, 'Outcome: (not generated)']
  const { repo, code, workflow } = summary.learnings
  const learnings = [
    ...section('  Repository:', repo, '    '),
    ...section('  Code:', code.map(formatFinding), '    '),
    ...section('  Workflow:', workflow, '    '),
  ]
  return [
    `Intent: ${clean(summary.intent)}`,
    `Outcome: ${clean(summary.outcome)}`,
    ...apart(learnings.length === 0 ? [] : ['Learnings:', ...learnings]),
    ...apart(section('Friction:', summary.friction)),
    ...apart(section('Open Items:', summary.openItems)),
  ]
}

function formatFinding({ path, line, endLine, finding }: CheckpointSummary['learnings']['code'][number]): string {
  return `${path}${line ? `:${line}${endLine ? `-${endLine}` : ''}` : ''}: ${finding}`
}

function section(title: string, items: string[], indent = '  '): string[] {
  return items.length === 0 ? [] : [title, ...items.map((item) => `${indent}- ${clean(item)}`)]
}

function apart(lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}
