// Lists plugins with one defect each: a script that runs before a correct plugin, and the rule that it
// breaks.

/** Runs a script for one subcommand; unless the script exits, the correct plugin runs after it. */
export const on = (subcommand: string, script: string) => `if [ "$1" = ${subcommand} ]; then\n${script}\nfi\n`

const answer = (subcommand: string, json: string) =>
  on(subcommand, `cat >/dev/null; printf '%s' '${json}'; exit 0`)

/** The same, but only when a condition holds. */
const answerIf = (condition: string, subcommand: string, json: string) =>
  on(subcommand, `if ${condition}; then cat >/dev/null; printf '%s' '${json}'; exit 0; fi`)

const refuse = (subcommand: string, condition = 'true') =>
  on(subcommand, `if ${condition}; then echo "I will not" >&2; exit 1; fi`)

const info = (from: string, to: string) =>
  on('info', `if [ -z "$INNER" ]; then INNER=1 "$0" info | tr -d '\\n' | sed 's|${from}|${to}|'; exit 0; fi`)

/** Keeps standard input in $i, and passes it to the correct plugin afterwards. */
const withInput = (subcommand: string, script: string) =>
  on(subcommand, `cat > "$TMPDIR/i"; i=$(cat "$TMPDIR/i")\n${script}\nexec < "$TMPDIR/i"`)

const isCut = 'case $i in *:) true ;; *) false ;; esac'
const hookAnswer = (json: string) =>
  withInput('parse-hook', `if [ -n "$i" ]; then printf '%s' '${json}'; exit 0; fi`)

/** Writes everything that it is sent instead of the transcript in it. */
export const storesEnvelope = withInput(
  'write-session',
  `ref=\${i##*'"session_ref":"'}; ref=\${ref%%'"'*}\ncase $i in *:null*|*:) ;; *) case $ref in "$HOME"/*) mkdir -p "\${ref%/*}"; printf '%s' "$i" > "$ref"; exit 0 ;; esac ;; esac`,
)

export const defects: [title: string, script: string, rule: string][] = [
  ['prints garbage instead of info', on('info', 'echo hello; exit 0'), 'info/answers'],
  ['prints a greeting before the JSON', on('info', 'echo Welcome'), 'info/answers'],
  ['speaks another version', info('"protocol_version":1', '"protocol_version":2'), 'info/answers'],
  ['has no description', info('"A plugin for tests"', '""'), 'info/answers'],
  ['says yes instead of true', info('"hooks":true', '"hooks":"yes"'), 'info/answers'],
  ['lies about its name', info('"name":"sample"', '"name":"claude-code"'), 'info/name'],
  [
    'declares hooks and names none',
    info('"hook_names":\\["start","stop"\\]', '"hook_names":null'),
    'info/hooks',
  ],
  ['names hooks and does not declare them', info('"hooks":true', '"hooks":false'), 'info/hooks'],
  ['names a hook twice', info('"start","stop"', '"stop","stop"'), 'info/hook-names'],
  ['names a hook that needs quoting', info('"start","stop"', '"stop","on stop"'), 'info/hook-names'],
  ['protects a directory outside', info('".sample"', '".sample","../other"'), 'info/protected-dirs'],
  ['protects the whole repository', info('".sample"', '".sample","."'), 'info/protected-dirs'],
  ['has caller variables in lower case', info('SAMPLE_RUN', 'sample_run'), 'info/caller-env'],
  ['answers differently each time', info('A plugin for tests', "'$$'"), 'info/stable'],
  ['accepts any subcommand', on('this-subcommand-does-not-exist', 'exit 0'), 'errors/unknown-subcommand'],
  ['fails without a message', on('this-subcommand-does-not-exist', 'exit 1'), 'errors/unknown-subcommand'],
  ['accepts no subcommand', '[ $# -gt 0 ] || exit 0', 'errors/no-subcommand'],
  ['accepts missing arguments', 'if [ "$*" = chunk-transcript ]; then exit 0; fi', 'errors/missing-argument'],
  [
    'writes into the work tree when it only has to read',
    on('detect', 'echo > "$ENTIRE_REPO_ROOT/trace"'),
    'environment/read-only',
  ],
  ['detects with a word', answer('detect', '{"present":"yes"}'), 'detect/answers'],
  ['has no session id', answer('get-session-id', '{"session_id":""}'), 'get-session-id/answers'],
  [
    'accepts input that is not JSON',
    withInput('get-session-id', `if ${isCut}; then echo '{"session_id":"x"}'; exit 0; fi`),
    'get-session-id/bad-json',
  ],
  [
    'refuses an empty session id',
    withInput('get-session-id', `case $i in *'"session_id":""'*) echo no >&2; exit 1 ;; esac`),
    'get-session-id/empty',
  ],
  ['has no session directory', answer('get-session-dir', '{"session_dir":""}'), 'get-session-dir/answers'],
  [
    'has a relative session directory',
    answer('get-session-dir', '{"session_dir":"sessions"}'),
    'get-session-dir/absolute',
  ],
  [
    'has one file for all sessions',
    answerIf('[ $# -eq 5 ]', 'resolve-session-file', '{"session_file":"/x"}'),
    'resolve-session-file/answers',
  ],
  [
    'keeps sessions elsewhere',
    answerIf('[ $# -eq 5 ]', 'resolve-session-file', '{"session_file":"/x/conformance-session-1"}'),
    'resolve-session-file/inside',
  ],
  [
    'follows a hostile id',
    on(
      'resolve-session-file',
      `case $5 in ../*) printf '{"session_file":"%s/%s"}' "$3" "$5"; exit 0 ;; esac`,
    ),
    'resolve-session-file/hostile-id',
  ],
  ['cannot write a session', refuse('write-session'), 'write-session/answers'],
  [
    'chokes on null',
    withInput('write-session', 'case $i in *:null*) echo no >&2; exit 1 ;; esac'),
    'write-session/null-lists',
  ],
  [
    'writes half a session',
    withInput('write-session', `if ${isCut}; then exit 0; fi`),
    'write-session/bad-json',
  ],
  [
    'writes to any path',
    withInput(
      'write-session',
      'case $i in */outside/*) mkdir -p "$HOME/../outside"; : > "$HOME/../outside/session.jsonl"; exit 0 ;; esac',
    ),
    'write-session/hostile-ref',
  ],
  [
    'loses the transcript',
    withInput(
      'read-session',
      `if [ -z "$INNER" ]; then INNER=1 "$0" read-session < "$TMPDIR/i" > "$TMPDIR/o" || exit 1; sed 's/"native_data":"[^"]*"/"native_data":null/' "$TMPDIR/o"; exit 0; fi`,
    ),
    'read-session/answers',
  ],
  [
    'accepts half an input',
    withInput('read-session', `if ${isCut}; then exit 0; fi`),
    'read-session/bad-json',
  ],
  [
    'adds a newline of its own',
    on('read-transcript', 'if [ -f "$3" ]; then cat "$3"; echo; exit 0; fi'),
    'read-transcript/bytes',
  ],
  ['stores the envelope of a session', storesEnvelope, 'write-session/bytes'],
  [
    'takes a missing transcript for an empty one',
    on('read-transcript', '[ -f "$3" ] || exit 0'),
    'read-transcript/missing',
  ],
  [
    'cuts a small transcript',
    answerIf('[ "$3" = 1048576 ]', 'chunk-transcript', '{"chunks":["YQ==","Yg=="]}'),
    'chunk-transcript/small',
  ],
  [
    'never cuts',
    on('chunk-transcript', `if [ "$3" = 512 ]; then printf '{"chunks":["%s"]}' "$(base64 -w0)"; exit 0; fi`),
    'chunk-transcript/size',
  ],
  [
    'drops the last newline',
    withInput(
      'reassemble-transcript',
      `if [ -z "$INNER" ]; then INNER=1 "$0" reassemble-transcript < "$TMPDIR/i" | sed -z 's/\\n$//'; exit 0; fi`,
    ),
    'chunk-transcript/round-trip',
  ],
  [
    'keeps the first megabyte',
    on(
      'chunk-transcript',
      'cat > "$TMPDIR/i"; head -c 1048575 "$TMPDIR/i" > "$TMPDIR/h"; exec < "$TMPDIR/h"',
    ),
    'chunk-transcript/large',
  ],
  [
    'cuts at zero',
    answerIf('[ "$3" = 0 ]', 'chunk-transcript', '{"chunks":[]}'),
    'chunk-transcript/max-size-zero',
  ],
  [
    'cuts at many',
    answerIf('[ "$3" = many ]', 'chunk-transcript', '{"chunks":[]}'),
    'chunk-transcript/max-size-word',
  ],
  [
    'joins half an input',
    withInput('reassemble-transcript', `if ${isCut}; then exit 0; fi`),
    'reassemble-transcript/bad-json',
  ],
  [
    'joins what it cannot decode',
    withInput('reassemble-transcript', 'case $i in *!!!!*) exit 0 ;; esac'),
    'reassemble-transcript/bad-base64',
  ],
  [
    'has no resume command',
    answer('format-resume-command', '{"command":""}'),
    'format-resume-command/answers',
  ],
  [
    'finds hooks that were not installed',
    answer('are-hooks-installed', '{"installed":true}'),
    'are-hooks-installed/before',
  ],
  ['installs nothing', answer('install-hooks', '{"hooks_installed":0}'), 'install-hooks/first'],
  ['installs twice', on('install-hooks', 'set -- "$@" --force'), 'install-hooks/again'],
  ['ignores --force', on('install-hooks', 'set -- install-hooks'), 'install-hooks/force'],
  ['does not know --local-dev', refuse('install-hooks', '[ "$2" = --local-dev ]'), 'install-hooks/local-dev'],
  [
    'installs hooks outside of protected paths',
    on('install-hooks', 'echo > "$ENTIRE_REPO_ROOT/h"') +
      on('uninstall-hooks', 'rm -f "$ENTIRE_REPO_ROOT/h"'),
    'install-hooks/protected',
  ],
  ['claims to uninstall', on('uninstall-hooks', 'exit 0'), 'uninstall-hooks/removes'],
  [
    'leaves something behind',
    on(
      'uninstall-hooks',
      'rm -f "$ENTIRE_REPO_ROOT/.sample/hooks"; mkdir -p "$ENTIRE_REPO_ROOT/.sample"; echo > "$ENTIRE_REPO_ROOT/.sample/old"; exit 0',
    ),
    'uninstall-hooks/no-trace',
  ],
  [
    'fails when there is nothing to uninstall',
    refuse('uninstall-hooks', '[ ! -f "$ENTIRE_REPO_ROOT/.sample/hooks" ]'),
    'uninstall-hooks/nothing',
  ],
  [
    'fails without a payload',
    withInput('parse-hook', '[ -n "$i" ] || { echo no >&2; exit 1; }'),
    'parse-hook/empty',
  ],
  ['has events without a session', hookAnswer('{"type":3,"session_id":""}'), 'parse-hook/events'],
  ['has events without a type', hookAnswer('{"type":0,"session_id":"a"}'), 'parse-hook/events'],
  [
    'has an invalid time',
    hookAnswer('{"type":3,"session_id":"a","timestamp":"yesterday"}'),
    'parse-hook/events',
  ],
  [
    'fails when there is no transcript yet',
    refuse('get-transcript-position', '[ ! -f "$3" ]'),
    'get-transcript-position/missing',
  ],
  [
    'returns a negative position',
    answerIf('[ -f "$3" ]', 'get-transcript-position', '{"position":-1}'),
    'get-transcript-position/answers',
  ],
  [
    'returns a fractional position',
    answerIf('[ -f "$3" ]', 'get-transcript-position', '{"position":1.5}'),
    'get-transcript-position/answers',
  ],
  [
    'returns a position as a string',
    answer('extract-modified-files', '{"current_position":"1"}'),
    'extract-modified-files/answers',
  ],
  [
    'uses two units of positions',
    answer('extract-modified-files', '{"files":[],"current_position":2}'),
    'extract-modified-files/position',
  ],
  [
    'finds files beyond the end',
    answerIf('[ "$5" = 999 ]', 'extract-modified-files', '{"files":["a"],"current_position":1}'),
    'extract-modified-files/beyond',
  ],
  [
    'returns prompts as a string',
    answer('extract-prompts', '{"prompts":"hello"}'),
    'extract-prompts/answers',
  ],
  [
    'finds prompts beyond the end',
    answerIf('[ "$5" = 999 ]', 'extract-prompts', '{"prompts":["a"]}'),
    'extract-prompts/beyond',
  ],
  [
    'summarises an empty transcript',
    answer('extract-summary', '{"summary":"","has_summary":true}'),
    'extract-summary/answers',
  ],
  ['cannot prepare', refuse('prepare-transcript'), 'prepare-transcript/answers'],
  [
    'counts negative tokens',
    answer('calculate-tokens', '{"input_tokens":-1,"output_tokens":0}'),
    'calculate-tokens/answers',
  ],
  [
    'counts tokens beyond the end',
    answer('calculate-tokens', '{"input_tokens":7,"output_tokens":0}'),
    'calculate-tokens/beyond',
  ],
  ['shows no message', on('write-hook-response', 'exit 0'), 'write-hook-response/answers'],
  [
    'prints a list of files',
    answer('extract-all-modified-files', '[]'),
    'extract-all-modified-files/answers',
  ],
  [
    'needs a directory of subagents',
    refuse('extract-all-modified-files', '[ ! -d "$5" ]'),
    'extract-all-modified-files/no-dir',
  ],
  ['counts no tokens of subagents', answer('calculate-total-tokens', '{}'), 'calculate-total-tokens/answers'],
]
