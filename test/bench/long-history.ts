// Makes a repository with a long history: many commits, the newest of them with checkpoints.
import type { Ground } from './ground.ts'

const committer = (at: number) => `committer Bench <bench@example.com> ${1_700_000_000 + at * 60} +0000\n`
const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
const idOf = (at: number) => (0x100_0000_0000 + at * 7_919_993).toString(16).padStart(12, '0').slice(-12)

export function addHistory(ground: Ground, options: { commits: number; checkpoints: number }): void {
  const first = options.commits - options.checkpoints
  const commits = Array.from({ length: options.commits }, (_, at) => {
    const trailer = at < first ? '' : `\n\nEntire-Checkpoint: ${idOf(at)}`
    return `commit refs/heads/main\n${committer(at)}${data(`Commit ${at}${trailer}\n`)}${at === 0 ? 'from refs/heads/main^0\n' : ''}`
  })
  const checkpoints = Array.from({ length: options.checkpoints }, (_, index) => checkpoint(first + index))
  const branch = `commit refs/heads/entire/checkpoints/v1\n${committer(options.commits)}${data('Checkpoints\n')}from refs/heads/entire/checkpoints/v1^0\n`
  ground.run(['git', 'fast-import', '--quiet', '--done'], {
    stdin: `${commits.join('')}${branch}${checkpoints.join('')}done\n`,
  })
}

function checkpoint(at: number): string {
  const id = idOf(at)
  const dir = `${id.slice(0, 2)}/${id.slice(2)}`
  const slot = (name: string) => `/${dir}/0/${name}`
  const shared = {
    cli_version: '0.1.0',
    checkpoint_id: id,
    strategy: 'manual-commit',
    branch: 'main',
    checkpoints_count: 1,
  }
  const files = {
    'metadata.json': JSON.stringify({
      ...shared,
      files_touched: ['a.txt'],
      sessions: [
        { metadata: slot('metadata.json'), transcript: slot('full.jsonl'), prompt: slot('prompt.txt') },
      ],
    }),
    '0/metadata.json': JSON.stringify({
      ...shared,
      session_id: `session-${at % 50}`,
      created_at: new Date((1_700_000_000 + at * 60) * 1000).toISOString(),
      files_touched: ['a.txt'],
      agent: 'Claude Code',
      checkpoint_transcript_start: 0,
    }),
    '0/prompt.txt': `Please make change number ${at}`,
    '0/full.jsonl': `${JSON.stringify({ type: 'user', uuid: `u${at}`, message: { content: `Please make change number ${at}` } })}\n`,
  }
  return Object.entries(files)
    .map(([name, text]) => `M 100644 inline ${dir}/${name}\n${data(text)}`)
    .join('')
}
