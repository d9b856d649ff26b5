// Writes the text of an installed hook. Entire's part never fails the commit, and stops a push only on
// purpose; a hook that was there before still can.

import { isAbsolute } from 'node:path'
import { shellWord } from '../../std/shell.ts'
import type { HookFile, HookManager } from './files.ts'
import { type HookName, type HookShape, hookMarker, hookTable } from './names.ts'

export interface HookScriptOptions {
  /** A name to look up in PATH, or an absolute path. */
  command: string
  /** Absolute path of the program that installs the hook, for a PATH on which the name is not found. */
  program?: string | undefined
  chained?: Chained | undefined
}

/** Git may be called where the PATH is another one, as in the login shell of an agent. */
function findProgram(command: string, program: string): string[] {
  return [
    `_entire_program=${shellWord(command)}`,
    `${commandTest(command)} || ${programLine}${shellWord(program)}`,
  ]
}

const programLine = '_entire_program='

/** The absolute path in an installed hook. */
export function readProgram(script: string): string | undefined {
  const word = new RegExp(`\\|\\| ${programLine}(.+)$`, 'm').exec(script)?.[1]
  return word?.replace(/^'(.*)'$/, '$1').replaceAll(`'\\''`, "'")
}

export function hookScript(name: HookName, options: HookScriptOptions): string {
  const { command, chained } = options
  const program = isAbsolute(command) ? undefined : options.program
  const shape: HookShape = hookTable[name]
  const replay = shape.stdin && chained !== undefined
  return [
    '#!/bin/sh',
    hookMarker,
    `# ${name}: ${shape.why}.`,
    ...(chained?.manager === 'lefthook'
      ? [
          '# LEFTHOOK: with this word lefthook writes over this file and does not move it to the .old it may need.',
        ]
      : []),
    ...loopGuard(name),
    ...(shape.onlyIf ?? []),
    ...(replay ? ['_entire_stdin="$(cat; printf x)"', `_entire_stdin="\${_entire_stdin%x}"`] : []),
    ...(program === undefined ? [] : findProgram(command, program)),
    `if [ $_entire_called = yes ] && ${program === undefined ? commandTest(command) : foundTest}; then`,
    `    ${replay ? replayed : ''}${entireCall(name, program === undefined ? shellWord(command) : '"$_entire_program"', shape)} || ${onFailure(shape)}`,
    'fi',
    ...(chained ? chainBlock(name, chained, replay) : []),
    '',
  ].join('\n')
}

// A crash, or a program that is gone, stops nothing.
function onFailure({ stopCode }: HookShape): string {
  return stopCode === undefined ? 'true' : `[ $? -ne ${stopCode} ] || exit 1`
}

const replayed = `printf '%s' "$_entire_stdin" 2>/dev/null | `

// Some hook managers move a hook aside (.old, .legacy) and still run it: called by such a name from Entire's
// own chain, there is nothing left to do. Git calls hooks by their proper names, so a commit inside a chained
// hook is recorded as usual. A call by the name of another hook comes through a link to the hook that was
// here before: only the chain runs.
function loopGuard(name: HookName): string[] {
  return [
    '_entire_called=yes',
    `case "\${0##*/}" in`,
    `${name}) ;;`,
    `${name}.*) [ "$ENTIRE_CHAINED_HOOK" != ${name} ] || exit 0 ;;`,
    'pre*-* | post-* | *-msg*) _entire_called=no ;;',
    'esac',
  ]
}

function commandTest(command: string): string {
  return isAbsolute(command)
    ? `[ -x ${shellWord(command)} ]`
    : `command -v ${shellWord(command)} >/dev/null 2>&1`
}

const foundTest = 'command -v "$_entire_program" >/dev/null 2>&1'

function entireCall(name: HookName, word: string, shape: HookShape): string {
  const words = [word, 'hooks git', name, shape.args, shape.quiet ? '2>/dev/null' : '']
  return words.filter((word) => word !== '').join(' ')
}

function chainBlock(name: HookName, chained: Chained, replay: boolean): string[] {
  // pre-commit refuses to run inside its own legacy hook, and would fail the commit.
  const allowed = chained.manager === 'pre-commit' ? ' && [ -z "$PRE_COMMIT_RUNNING_LEGACY" ]' : ''
  const { before, call } = chainedCall(name, chained)
  return [
    '# Chain: run pre-existing hook',
    '_entire_hook_dir="$(dirname "$0")"',
    `_entire_chained="$_entire_hook_dir/${chained.file}"`,
    `if [ -f "$_entire_chained" ] && [ -x "$_entire_chained" ]${allowed}; then`,
    `    ENTIRE_CHAINED_HOOK=${name}`,
    '    export ENTIRE_CHAINED_HOOK',
    ...before.map((line) => `    ${line}`),
    `    ${replay ? replayed : ''}${call}`,
    '    exit $?',
    'fi',
  ]
}

function chainedCall(name: HookName, { way, file }: Chained): { before: string[]; call: string } {
  if (way === 'run') return { before: [], call: '"$_entire_chained" "$@"' }
  if (way === 'alias') return { before: aliasLines(name, file), call: '"$_entire_run" "$@"' }
  return {
    before: [],
    call: `${way.shell} -c '_entire_file=$1; shift; . "$_entire_file"' "$0" "$_entire_chained" "$@"`,
  }
}

// Calls the hook through a link with the proper name, for programs that look at their own name.
function aliasLines(name: HookName, file: string): string[] {
  return [
    '_entire_run="$_entire_chained"',
    'if _entire_alias="$(mktemp -d)"; then',
    `    trap 'rm -rf "$_entire_alias"' EXIT`,
    `    ln -s "$(CDPATH= cd -- "$_entire_hook_dir" && pwd -P)/${file}" "$_entire_alias/${name}" && _entire_run="$_entire_alias/${name}"`,
    'fi 2>/dev/null',
  ]
}

/** How to run a hook under its backup name without it noticing: some hooks look at their own name. */
export interface Chained {
  /** Name within the hooks directory. */
  file: string
  /** Run it, source it in a shell with the original `$0`, or run it through a link with the proper name. */
  way: 'run' | 'alias' | { shell: string }
  manager?: HookManager | undefined
}

export function planChain(file: string, hook: HookFile): Chained {
  return { file, way: planWay(hook), manager: hook.manager }
}

function planWay({ head, isSymlink: symlink, manager }: HookFile): Chained['way'] {
  const shell = plainShell(head)
  // A stub of Husky sources a file beside `$0`, which finds the user's hook by the last part of `$0`.
  if (shell && (manager === 'husky' || usesOwnName.test(head))) return { shell }
  if (usesOwnName.test(head)) return 'alias'
  // A program behind a link named like the hook: only the name tells it which hook it is.
  return symlink && head.includes('\0') ? 'alias' : 'run'
}

const usesOwnName =
  /basename (?:-- )?"?\$\{?0\b|\$\{0##\*\/\}|\bbasename\(\$(?:0|PROGRAM_NAME)\)|\bargv\[0\]|\bprocess\.argv\[1\]/

// A bash script that compares BASH_SOURCE with $0 must not be sourced: it would take itself for a library.
function plainShell(head: string): string | undefined {
  const shebang = /^#! ?((?:\/usr\/bin\/env )?(?:\/[\w./-]*\/)?(?:sh|dash|bash)(?: -[a-z]+)?)\s*\n/.exec(
    head,
  )?.[1]
  return head.includes('BASH_SOURCE') ? undefined : shebang
}
