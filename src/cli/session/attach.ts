// Runs `entire session attach`: finds the session and stores it in the checkpoint of the last commit.

import { agents, findAgent } from '../../agents/all.ts'
import { amendWithTrailer, attachSession, linkByNote } from '../../attach/attach.ts'
import {
  type AttachPlan,
  type FoundTranscript,
  findSessionDirs,
  findTranscripts,
  planAttach,
} from '../../attach/plan.ts'
import type { Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import type { Session } from '../../model/session.ts'
import type { Recorder } from '../../sessions/event-work.ts'
import { readState } from '../../sessions/list.ts'
import { checkSessionId } from '../../sessions/store.ts'
import { ambiguousPrefix, EntireError, notFound, unknownName, useOneOf } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { countOf } from '../../std/plural.ts'
import { confirm } from '../ask.ts'
import { closest } from '../closest.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled, requireSetUp } from '../preconditions.ts'
import { systemRecorder } from '../recorder.ts'
import { tokensText } from '../render/numbers.ts'
import { clean, cut } from '../render/text.ts'
import { findSessionId } from './find-session.ts'

export interface AttachFlags {
  agent?: string
  force?: boolean
}

export async function runAttach(this: Cli, flags: AttachFlags, id: string): Promise<void> {
  const repo = requireRepo(this, 'session attach')
  requireSetUp(repo)
  if (reportIfDisabled(this, repo)) return
  checkSessionId(id)
  const recorder = systemRecorder(repo, { component: 'session-attach' })
  const chosen = flags.agent === undefined ? undefined : namedAgent(flags.agent)
  const known = findKnown(repo, id)
  const found =
    (chosen === undefined ? knownTranscript(known) : undefined) ??
    (await detect(this, repo, chosen, known?.id ?? id))
  const plan: AttachPlan = await planAttach(recorder, found, known)
  const force = flags.force === true
  await (plan.kind === 'done' ? linkAgain : attach)(this, recorder, plan, force)
}

function namedAgent(name: string): Agent {
  const agent = findAgent(name)
  if (agent?.resume !== undefined) return agent
  const names = agents.flatMap((each) => (each.resume === undefined ? [] : each.name))
  throw unknownName('agent', clean(name), useOneOf(names, closest(name, names)), 'unknown-agent')
}

function findKnown(repo: Repo, id: string): Session | undefined {
  const full = findSessionId(repo, id)
  const known = full === undefined ? undefined : readState(repo, full)
  if (known === undefined || known.worktreePath === '' || known.worktreePath === repo.root) return known
  throw new EntireError('bad-usage', `Session ${clean(known.id)} belongs to another work tree.`, {
    hint: `Run the command in ${clean(known.worktreePath)}.`,
  })
}

function knownTranscript(known: Session | undefined): FoundTranscript | undefined {
  const agent = agents.find(({ type }) => type === known?.agentType)
  const path = known?.transcriptPath
  return known && agent && path !== undefined && exists(path) ? { agent, session: known.id, path } : undefined
}

async function detect(cli: Cli, repo: Repo, chosen: Agent | undefined, id: string): Promise<FoundTranscript> {
  const tried = chosen === undefined ? agents : [chosen]
  const roots = [repo.root, cli.cwd]
  const [found, ...others] = await findTranscripts(cli, tried, id, roots)
  if (found === undefined) throw await transcriptNotFound(cli, tried, id, roots)
  if (others.length > 0) {
    const named = [found, ...others].map(({ agent, session }) => `${clean(session)} (${agent.name})`).sort()
    throw ambiguousPrefix('session', clean(id), named, 'Type more of the id, or name the agent with --agent.')
  }
  if (chosen === undefined) cli.note(`Auto-detected agent: ${found.agent.type}`)
  return found
}

const mostPlaces = 2

async function transcriptNotFound(
  cli: Cli,
  tried: Agent[],
  id: string,
  roots: string[],
): Promise<EntireError> {
  const resumers = tried.flatMap(({ resume }) => resume ?? [])
  const places = (
    await Promise.all(resumers.map((resume) => findSessionDirs(resume, cli.env, roots)))
  ).flatMap(([place]) => place ?? [])
  const more =
    places.length > mostPlaces
      ? ` and ${places.length - mostPlaces} other directories (--agent <name> selects one agent)`
      : ''
  const searched = `${places.slice(0, mostPlaces).map(clean).join(', ')}${more}`
  return notFound(
    'session transcript',
    clean(id),
    `Looked in ${searched}. Run the command in the directory where the session was started.`,
  )
}

async function attach(cli: Cli, recorder: Recorder, plan: AttachPlan, force: boolean): Promise<void> {
  const isLinked = plan.link !== undefined
  const amends = !isLinked && (await mayAmend(cli, plan, force))
  const { session, turns } = await attachSession(recorder, plan, { note: !isLinked && !amends })
  const captured = [countOf(turns, 'turn'), clean(session.model ?? ''), tokensOf(tokensText(session.tokens))]
  cli.out(`Attached session ${clean(plan.session)}`)
  cli.out(`  Captured: ${captured.filter((part) => part !== '').join(' · ')}`)
  cli.out(
    `  ${plan.kind === 'add' ? 'Added to existing checkpoint' : 'Created checkpoint'} ${plan.checkpoint}`,
  )
  if (isLinked) return
  if (!amends || !(await amend(cli, recorder, plan))) printNoteLink(cli, plan)
}

/** The session is already stored: only adds the trailer to HEAD, if wanted. */
async function linkAgain(cli: Cli, recorder: Recorder, plan: AttachPlan, force: boolean): Promise<void> {
  cli.out(`Session ${clean(plan.session)} already has checkpoint ${plan.checkpoint}`)
  if (plan.link === 'trailer' || (plan.link === 'note' && !force && !cli.interactive)) return
  if (await mayAmend(cli, plan, force)) await amend(cli, recorder, plan)
  else printTrailer(cli, plan)
}

// Only with consent: amending changes the id of the commit.
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
    noTerminalHint: 'Use --force to amend it.',
  })
}

async function amend(cli: Cli, recorder: Recorder, plan: AttachPlan): Promise<boolean> {
  const head = await amendWithTrailer(recorder, plan.commit, plan.checkpoint)
  if (head !== undefined) {
    cli.out(`  Amended ${plan.commit.oid.slice(0, 7)}, which is now ${head.slice(0, 7)}`)
    return true
  }
  cli.note('Git could not amend the commit.')
  await linkByNote(recorder, plan.commit.oid, plan.checkpoint)
  return false
}

function printNoteLink(cli: Cli, plan: AttachPlan): void {
  cli.out(`  Linked to ${plan.commit.oid.slice(0, 7)} by a note`)
  printTrailer(cli, plan)
}

function printTrailer(cli: Cli, plan: AttachPlan): void {
  cli.out(`\nCopy to your commit message to attach:\n\n  Entire-Checkpoint: ${plan.checkpoint}`)
}

function tokensOf(count: string | undefined): string {
  return count === undefined ? '' : `${count} tokens`
}
