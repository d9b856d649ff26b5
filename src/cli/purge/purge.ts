// Defines `entire purge`, which removes a secret, a checkpoint or a session from the repository for good, and says
// what is left of it elsewhere.

import { relative } from 'node:path'
import { buildCommand } from '@stricli/core'
import { branchName } from '../../checkpoints/layout.ts'
import { readPurged, replaceCommand } from '../../checkpoints/purged.ts'
import {
  findOnRemotes,
  findUserFiles,
  type Holder,
  type LeftObject,
  type RemoteFailure,
  type RemoteLeft,
  tilde,
} from '../../cleanup/purge/left-behind.ts'
import { isNothing, type PurgePlan, planPurge } from '../../cleanup/purge/plan.ts'
import { purge } from '../../cleanup/purge/purge.ts'
import { type PurgeTarget, withoutSecret } from '../../cleanup/purge/target.ts'
import { listAlternates } from '../../git/all-objects.ts'
import type { Repo } from '../../git/repo.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { shellWord } from '../../std/shell.ts'
import { confirm } from '../ask.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { clean } from '../render/text.ts'
import { progressOf } from '../streams.ts'
import { findTarget } from './find-target.ts'

interface PurgeFlags {
  force?: boolean
  dryRun?: boolean
  json?: boolean
}

export const purgeCommand = buildCommand<PurgeFlags, [string?], Cli>({
  async func(flags, text) {
    const repo = requireRepo(this, 'purge')
    const target = await findTarget(this, repo, text)
    if (target === undefined) return this.note('Purge cancelled.')
    await new Purge(this, repo, target, flags).run()
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          placeholder: 'secret-or-id',
          brief:
            'A secret, or the beginning of the id of a checkpoint or session; - reads a secret from standard input',
          parse: String,
          optional: true,
        },
      ],
    },
    flags: {
      force: switchFlag('Do not ask'),
      dryRun: switchFlag('Show what would be removed, and remove nothing'),
      json: switchFlag('Print JSON'),
    },
    aliases: { f: 'force', d: 'dryRun' },
  },
  docs: {
    brief: 'Remove a secret, a checkpoint or a session for good',
    fullDescription: formatManual({
      text: [
        'Removes it from everything that Entire keeps in this repository: checkpoints, steps, undo and trash, session states, logs,',
        'temporary files, and the objects of git, reachable or not, in all work trees. The history of the checkpoints is rewritten; all',
        'others keep their id, content and date. Then every object is read once more. There is no undo.',
        '',
        'A secret is replaced by REDACTED wherever it stands, also where it is escaped in JSON. Without an argument you are asked for it,',
        'and nothing of what you type is shown; on the command line it would end up in the history of your shell.',
        'A checkpoint or a session is removed as a whole. Parts of a transcript that other checkpoints hold stay with these.',
        '',
        'Your own commits, branches, stashes and files are never touched, nor are transcripts in the directories of agents: what they',
        'hold is listed. So is what remotes still have, with the command that replaces it there. Until then a push of checkpoints',
        'to that remote is held back, so that nothing comes back from it; `git fetch` and other clones may still bring it.',
        'A secret that has left this machine is no secret: revoke it.',
      ],
      examples: [
        ['entire purge', 'asks for the secret'],
        ['pass show api-key | entire purge - --force', 'a secret from another program'],
        ['entire purge --dry-run a3b2c4d5e6f7', 'what the checkpoint would take with it'],
        ['entire purge 5e551010', 'everything of a session'],
      ],
    }),
  },
})

class Purge {
  readonly #cli: Cli
  readonly #repo: Repo
  readonly #target: PurgeTarget
  readonly #flags: PurgeFlags
  readonly #name: string

  constructor(cli: Cli, repo: Repo, target: PurgeTarget, flags: PurgeFlags) {
    this.#cli = cli
    this.#repo = repo
    this.#target = target
    this.#flags = flags
    this.#name = target.kind === 'secret' ? 'the secret' : `${target.kind} ${clean(target.id)}`
  }

  async run(): Promise<void> {
    const { dryRun = false, force = false, json = false } = this.#flags
    const isUnfinished = readPurged(this.#repo).unfinished !== undefined
    if (isUnfinished) this.#cli.note('An earlier purge was interrupted; this one does what is left of it.')
    const options = { progress: progressOf(this.#cli.process) }
    if (dryRun || !force) {
      const plan = await planPurge(this.#repo, this.#target, options)
      options.progress('')
      if (dryRun || (isNothing(plan) && !isUnfinished)) {
        await this.#report({ plan, removed: 0, left: [], holders: [], isDone: false })
        return
      }
      if (!json) this.#printPlan(plan)
      const isAgreed = await confirm(this.#cli, {
        message: `Remove ${this.#name} from this repository?`,
        detail: 'History is rewritten, and there is no undo.',
        noTerminalHint: 'Run it with --force, or with --dry-run to see what would be removed.',
      })
      if (!isAgreed) return this.#cli.note('Purge cancelled.')
    }
    const recorder = systemRecorder(this.#repo, { component: 'purge' })
    const done = await purge(recorder, this.#target, options)
    options.progress('')
    await this.#report({ ...done, isDone: true })
  }

  async #report(outcome: Outcome): Promise<void> {
    const files = this.#target.kind === 'secret' ? await findUserFiles(this.#repo, this.#target.secret) : []
    const remotes =
      outcome.isDone || isNothing(outcome.plan) ? await findOnRemotes(this.#repo) : { left: [], failed: [] }
    if (outcome.holders.length > 0) this.#cli.process.exitCode = 1
    const all = { ...outcome, files: files.map((path) => this.#nameOf(path)), remotes }
    if (this.#flags.json) return void this.#cli.process.stdout.write(this.#hide(formatJson(this.#json(all))))
    if (!outcome.isDone) {
      if (isNothing(outcome.plan)) this.#out(`Nothing of Entire in this repository holds ${this.#name}.`)
      else {
        this.#printPlan(outcome.plan)
        this.#out('Run without --dry-run to remove it.')
      }
    } else this.#printDone(outcome)
    for (const line of this.#leftLines(all)) this.#out(line)
  }

  #printPlan({ refs, files, objects, checkpoints }: PurgePlan): void {
    this.#out(`Found ${this.#name} in:`)
    if (checkpoints.size > 0) this.#out(`  checkpoints: ${listed([...checkpoints].sort())}`)
    for (const { ref, to, commits } of refs)
      this.#out(
        `  ${branchName(ref)} (${to === undefined ? 'goes' : `${countOf(commits, 'commit')} rewritten`})`,
      )
    for (const { path, content } of files)
      this.#out(`  ${this.#nameOf(path)}${content === null ? ' (goes)' : ''}`)
    this.#out(`  ${countOf(objects.size, 'object')} of git`)
  }

  #printDone({ plan, removed, holders }: Outcome): void {
    const parts = [
      countOf(removed, 'object'),
      countOf(plan.refs.length, 'ref'),
      countOf(plan.files.length, 'file'),
    ]
    const where = holders.length === 0 ? '' : ' from what Entire has here, but not from copies that you keep'
    this.#out(`Removed ${this.#name}${where}: ${parts.join(', ')}.`)
    if (plan.checkpoints.size > 0) this.#out(`Checkpoints: ${listed([...plan.checkpoints].sort())}.`)
  }

  #leftLines({ left, holders, files, remotes, isDone }: Outcome & Found): string[] {
    const own = left.filter(({ isBorrowed, isHeld }) => !isBorrowed && !isHeld)
    const borrowed = left.filter(({ isBorrowed }) => isBorrowed)
    const isSecret = this.#target.kind === 'secret'
    return [
      ...(isDone && left.length === 0 ? ['Every object was read again: none holds it.'] : []),
      ...(holders.length === 0
        ? []
        : [
            'Still held by what leads to old commits of Entire. Let go of them, and purge again:',
            ...holders.map(
              ({ name, command }) => `  ${clean(name)}${command === undefined ? '' : `: ${clean(command)}`}`,
            ),
          ]),
      ...(own.length === 0
        ? []
        : [
            isSecret ? 'Still in your own commits, which were not touched:' : 'Still named in:',
            ...own.slice(0, maxListed).map(describe),
            ...more(own.length),
            ...(isSecret
              ? ['  To remove it there, rewrite them: https://github.com/newren/git-filter-repo']
              : []),
          ]),
      ...(borrowed.length === 0
        ? []
        : [
            `Still in repositories that this one borrows from: ${listAlternates(this.#repo).map(clean).join(', ')}`,
          ]),
      ...(files.length === 0
        ? []
        : [
            'Still in files that are not Entire’s; a step or transcript that is recorded from them holds it again:',
            ...files.slice(0, maxListed).map((path) => `  ${clean(path)}`),
            ...more(files.length),
          ]),
      ...remoteLines(remotes),
      ...(isSecret && isDone ? ['Revoke the secret if anyone else may have seen it.'] : []),
    ]
  }

  #json({ plan, removed, left, holders, files, remotes, isDone }: Outcome & Found): JsonObject {
    return {
      dry_run: !isDone,
      kind: this.#target.kind,
      ...(this.#target.kind === 'secret' ? {} : { id: this.#target.id }),
      checkpoints: [...plan.checkpoints].sort(),
      refs: plan.refs.map(({ ref, from, to, commits }) => ({
        ref,
        before: from,
        after: to ?? null,
        commits,
      })),
      files: plan.files.map(({ path }) => this.#nameOf(path)),
      objects: isDone ? removed : plan.objects.size,
      left: {
        objects: left.map(({ oid, type, path, isBorrowed }) => ({ oid, type, path, borrowed: isBorrowed })),
        holders: holders.map(({ name }) => name),
        files,
        remotes: remotes.left.map((ref) => ({
          remote: ref.remote,
          ref: ref.ref,
          commit: ref.oid,
          known: !ref.isUnknown,
          command: commandFor(ref),
        })),
        unreachable_remotes: remotes.failed.map(({ remote, why }) => ({ remote, why })),
      },
    }
  }

  #nameOf(path: string): string {
    const name = relative(this.#repo.root, path)
    return name.startsWith('..') ? tilde(path) : name
  }

  #out(line: string): void {
    this.#cli.out(this.#hide(line))
  }

  // A path or the name of a ref may contain it.
  #hide(text: string): string {
    if (this.#target.kind !== 'secret') return text
    return withoutSecret(Buffer.from(text), this.#target.secret)?.toString() ?? text
  }
}

interface Outcome {
  plan: PurgePlan
  removed: number
  left: LeftObject[]
  holders: Holder[]
  isDone: boolean
}

interface Found {
  files: string[]
  remotes: { left: RemoteLeft[]; failed: RemoteFailure[] }
}

const maxListed = 20

function more(count: number): string[] {
  return count > maxListed ? [`  … and ${count - maxListed} more`] : []
}

function listed(names: string[]): string {
  return [
    ...names.slice(0, maxListed),
    ...(names.length > maxListed ? [`${names.length - maxListed} more`] : []),
  ].join(', ')
}

function describe({ oid, type, path }: LeftObject): string {
  return `  ${type} ${oid.slice(0, 12)}${path === '' ? '' : ` ${clean(path)}`}`
}

function remoteLines({ left, failed }: Found['remotes']): string[] {
  const known = left.filter(({ isUnknown }) => !isUnknown)
  const unknown = left.filter(({ isUnknown }) => isUnknown)
  return [
    ...(known.length === 0
      ? []
      : [
          'Still on remotes. To replace it there:',
          ...known.map((ref) => `  ${commandFor(ref)}`),
          'A host may keep what is replaced for a while, and forks and other clones keep theirs: ask them.',
        ]),
    ...(unknown.length === 0
      ? []
      : [
          'Remotes have versions that are not here and may hold it. Fetch them and purge again:',
          ...unknown.map((ref) => `  ${commandFor(ref)}`),
        ]),
    ...failed.map(({ remote, why }) => `${clean(remote)} could not be asked what it has: ${clean(why)}`),
  ]
}

function commandFor({ remote, ref, oid, isHere, isUnknown }: RemoteLeft): string {
  if (!isUnknown) return replaceCommand(remote, ref, { at: oid, isHere })
  const copy = ref.startsWith('refs/heads/')
    ? `refs/remotes/${remote}/${branchName(ref)}`
    : `refs/entire-remotes/${remote}/${ref.slice('refs/'.length)}`
  return `git fetch ${shellWord(remote)} ${shellWord(`+${ref}:${copy}`)}`
}
