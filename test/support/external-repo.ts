// Makes a repository in which an external agent is recorded: its plugin is on the PATH, and a shell plays the
// agent.
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { preparedRepo, type RecordedRepo, recordedRepo } from './recorded-repo.ts'
import { writePlugin } from './sh-plugin.ts'

export interface ExternalRepo extends RecordedRepo {
  /** The directory of plugins. */
  bin: string
}

export async function repoWithPlugins(): Promise<ExternalRepo> {
  const repo = await recordedRepo()
  return { ...repo, bin: join(repo.base, 'bin') }
}

/** One in which the plugin `entire-agent-sample` is enabled. The plugin may get a defect afterwards. */
export async function repoWithSample(defect?: string): Promise<ExternalRepo> {
  const repo = await preparedRepo({ name: 'plain-with-sample' }, {}, async (template) => {
    putPlugin({ ...template, bin: join(template.base, 'bin') })
    await template.commitAs('human', 'begin')
    const enabled = await template.entire(['enable', '--agent', 'sample'])
    if (enabled.code !== 0) throw new Error(enabled.err)
  })
  const external = { ...repo, bin: join(repo.base, 'bin') }
  if (defect !== undefined) putPlugin(external, defect)
  return external
}

/** Hooks of the shell agent, in order of a session. */
export type ShellHook = 'start' | 'prompt' | 'stop' | 'end'

export interface ShellAgent {
  session: string
  transcript: string
  hook(hook: ShellHook, fields?: Record<string, string>): Promise<{ code: number; out: string; err: string }>
  /** One turn: the prompt, the edits, the answer. */
  turn(prompt: string, edits: Record<string, string>): Promise<{ code: number; out: string; err: string }>
  say(line: object): void
  /** Subcommands in the order in which they were called, with their arguments. */
  calls(): string[]
}

/** What its hooks mean, and where its sessions are. The calls of the plugin are written down. */
const meaning = `
echo "$@" >> "$HOME/calls"
if [ "$1" = info ]; then
  printf '{"protocol_version":1,"name":"%s","type":"Sample","description":"A plugin for tests","is_preview":true,' "\${0##*entire-agent-}"
  printf '"protected_dirs":[".sample"],"hook_names":["start","prompt","stop","end"],"capabilities":{"hooks":true,'
  printf '"transcript_analyzer":true,"transcript_preparer":true,"token_calculator":true,"text_generator":true,'
  printf '"hook_response_writer":true,"subagent_aware_extractor":true,"compact_transcript":true,"caller_env_vars":["SAMPLE_RUN"]}}'
  exit 0
fi
if [ "$1" = parse-hook ]; then
  IFS= read -r i || :
  field() { case $i in *"\\"$1\\":\\""*) v=\${i##*\\"$1\\":\\"}; v=\${v%%\\"*} ;; *) v= ;; esac; }
  case $3 in start) t=1 ;; prompt) t=2 ;; stop) t=3 ;; end) t=5 ;; esac
  field session; s=$v; field ref; r=$v; field prompt; p=$v
  printf '{"type":%s,"session_id":"%s","session_ref":"%s","prompt":"%s"}' $t "$s" "$r" "$p"
  exit 0
fi
if [ "$1" = extract-modified-files ]; then
  printf '{"files":[%s],"current_position":%s}' "$(tail -n +$(($5 + 1)) "$3" | sed -n 's/.*"file":"\\([^"]*\\)".*/"\\1"/p' | paste -sd,)" "$(grep -c . "$3")"; exit 0
fi
if [ "$1" = extract-prompts ]; then
  printf '{"prompts":[%s]}' "$(tail -n +$(($5 + 1)) "$3" | sed -n 's/.*"user":"\\([^"]*\\)".*/"\\1"/p' | paste -sd,)"; exit 0
fi
if [ "$1" = extract-summary ]; then
  printf '{"summary":"%s","has_summary":true}' "$(sed -n 's/.*"assistant":"\\([^"]*\\)".*/\\1/p' "$3" | tail -1)"; exit 0
fi
if [ "$1" = calculate-tokens ] || [ "$1" = calculate-total-tokens ]; then
  n=$(tail -n +$(($3 + 1)) | grep -c assistant); echo "{\\"input_tokens\\":$((n * 100)),\\"output_tokens\\":$((n * 10))}"; exit 0
fi
`

/** The plugin `entire-agent-sample`, with a defect in front of it. */
export function putPlugin(repo: ExternalRepo, defect = '', name = 'sample'): string {
  return writePlugin(repo.bin, name, `${defect}\n${meaning}`)
}

export async function shellAgent(
  repo: ExternalRepo,
  session = 'sample-session',
  name = 'sample',
): Promise<ShellAgent> {
  const transcript = join(repo.base, 'home', `.${name}`, 'sessions', `${session}.log`)
  mkdirSync(dirname(transcript), { recursive: true })
  const say = (line: object) => appendFileSync(transcript, `${JSON.stringify(line)}\n`)
  const hook: ShellAgent['hook'] = (verb, fields = {}) =>
    repo.entire(['hooks', name, verb], { stdin: JSON.stringify({ session, ref: transcript, ...fields }) })
  return {
    session,
    transcript,
    hook,
    say,
    async turn(prompt, edits) {
      await hook('prompt', { prompt })
      say({ user: prompt })
      for (const [path, content] of Object.entries(edits)) {
        repo.write(path, content)
        say({ file: path })
      }
      say({ assistant: `did ${prompt}` })
      return await hook('stop')
    },
    calls: () => {
      const file = join(repo.base, 'home', 'calls')
      return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
    },
  }
}

/** Forgets the calls so far. */
export function forgetCalls(repo: ExternalRepo): void {
  writeFileSync(join(repo.base, 'home', 'calls'), '')
}

export function openToAll(path: string): void {
  chmodSync(path, 0o777)
}
