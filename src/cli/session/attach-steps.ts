// Attaching, and what the person is asked and told about it.
import { attachSession } from '../../session/attach.ts'
import { amendWithTrailer, linkByNote } from '../../session/attach-link.ts'
import type { AttachPlan } from '../../session/attach-plan.ts'
import type { Recorder } from '../../session/work.ts'
import { confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean, cut } from '../render/text.ts'
import { tokensText } from '../render/tokens.ts'

export async function attach(cli: Cli, recorder: Recorder, plan: AttachPlan, force: boolean): Promise<void> {
  const isLinked = plan.link !== undefined
  const amends = !isLinked && (await mayAmend(cli, plan, force))
  const { session, turns } = await attachSession(recorder, plan, { note: !isLinked && !amends })
  const captured = [`${turns} turn${turns === 1 ? '' : 's'}`, clean(session.model ?? ''), tokensOf(tokensText(session.tokens))]
  cli.out(`Attached session ${clean(plan.session)}`)
  cli.out(`  Captured: ${captured.filter((part) => part !== '').join(' · ')}`)
  cli.out(`  ${plan.kind === 'add' ? 'Added to existing checkpoint' : 'Created checkpoint'} ${plan.checkpoint}`)
  if (isLinked) return
  if (!amends || !(await amend(cli, recorder, plan))) sayNote(cli, plan)
}

/** Nothing new to store: only HEAD may be told of the checkpoint that the session has. */
export async function linkAgain(cli: Cli, recorder: Recorder, plan: AttachPlan, force: boolean): Promise<void> {
  cli.out(`Session ${clean(plan.session)} already has checkpoint ${plan.checkpoint}`)
  if (plan.link === 'trailer' || (plan.link === 'note' && !force && !cli.interactive)) return
  if (await mayAmend(cli, plan, force)) await amend(cli, recorder, plan)
  else sayTrailer(cli, plan)
}

// Never unasked: an amended commit has another id.
async function mayAmend(cli: Cli, plan: AttachPlan, force: boolean): Promise<boolean> {
  if (plan.noAmend !== undefined) {
    if (force || cli.interactive) cli.note(`The commit is not amended, because ${plan.noAmend}.`)
    return false
  }
  if (force || !cli.interactive) return force
  const subject = cut(plan.commit.message.split('\n')[0] ?? '', 60)
  return confirm(cli, {
    message: 'Amend the last commit to name the checkpoint?',
    detail: `${plan.commit.oid.slice(0, 7)} ${subject} → Entire-Checkpoint: ${plan.checkpoint}`,
    otherwise: 'Say --force to amend it.',
  })
}

async function amend(cli: Cli, recorder: Recorder, plan: AttachPlan): Promise<boolean> {
  const head = await amendWithTrailer(recorder, plan.commit, plan.checkpoint)
  if (head !== undefined) {
    cli.out(`  Amended ${plan.commit.oid.slice(0, 7)}, which is now ${head.slice(0, 7)}`)
    return true
  }
  cli.note('git could not amend the commit.')
  await linkByNote(recorder, plan.commit.oid, plan.checkpoint)
  return false
}

function sayNote(cli: Cli, plan: AttachPlan): void {
  cli.out(`  Linked to ${plan.commit.oid.slice(0, 7)} by a note`)
  sayTrailer(cli, plan)
}

function sayTrailer(cli: Cli, plan: AttachPlan): void {
  cli.out(`\nCopy to your commit message to attach:\n\n  Entire-Checkpoint: ${plan.checkpoint}`)
}

function tokensOf(count: string | undefined): string {
  return count === undefined ? '' : `${count} tokens`
}
