// Lists what each version of the reference program left in a repository for one checkpoint, and what must be
// read from it.
import type { Files } from './foreign-repo.ts'

export interface Age {
  checkpoint: string
  /** By ref. */
  trees: Record<string, Files>
  sessions: { id: string; agent?: string; prompts: string[] }[]
  /** Of the last session, if not its first: that of the checkpoint, where all of the session were stored. */
  prompt?: string
  /** Of the last session; undefined where there is none. */
  transcript?: string
  files: string[]
  tokens?: number | undefined
  /** The agent of the last session cannot continue from the stored transcript. */
  isOver?: boolean
}

const hex = 'a3b2c4d5e6f7'
const dir = 'a3/b2c4d5e6f7'
const ulid = '01HZXK3V9Q8W7E6R5T4Y3J2H1G'
const v1 = 'refs/heads/entire/checkpoints/v1'
const tokens = (input: number) => ({
  input_tokens: input,
  cache_creation_tokens: 1,
  cache_read_tokens: 2,
  output_tokens: 3,
  api_call_count: 1,
})
const paths = (slot: number | string, base = `/${dir}`) => ({
  metadata: `${base}/${slot}/metadata.json`,
  transcript: `${base}/${slot}/full.jsonl`,
  context: `${base}/${slot}/context.md`,
  content_hash: `${base}/${slot}/content_hash.txt`,
  prompt: `${base}/${slot}/prompt.txt`,
})
const hash = `sha256:${'0'.repeat(64)}`
const line = (text: string) => `{"type":"user","message":{"content":"${text}"}}`

/** A session as all versions since the directories for sessions have it. */
const session = (id: string, more: object = {}) => ({
  checkpoint_id: hex,
  session_id: id,
  strategy: 'manual-commit',
  created_at: '2026-02-10T12:00:00.123456789Z',
  checkpoints_count: 1,
  files_touched: ['a.txt'],
  ...more,
})
const head = (sessions: unknown, more: object = {}) => ({
  checkpoint_id: hex,
  strategy: 'manual-commit',
  branch: 'main',
  checkpoints_count: 1,
  files_touched: ['a.txt'],
  sessions,
  ...more,
})
const below = (slot: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${slot}/${name}`, content]))
const one: Age = {
  checkpoint: hex,
  trees: {},
  sessions: [{ id: 's1', agent: 'Claude Code', prompts: ['fix <it>'] }],
  files: ['a.txt'],
}
const plainSlot = {
  'metadata.json': session('s1', { agent: 'Claude Code' }),
  'full.jsonl': `${line('fix it')}\n`,
  'content_hash.txt': hash,
  'prompt.txt': 'fix <it>',
}
const plain: Files = {
  ...below(`${dir}/0`, plainSlot),
  [`${dir}/metadata.json`]: head([paths(0)], { token_usage: tokens(10) }),
}
const plainAge: Age = { ...one, trees: { [v1]: plain }, transcript: `${line('fix it')}\n`, tokens: 16 }

export const ages: Record<string, Age> = {
  'the first one: a session at the top, its log called full.log, the branch called sessions': {
    ...one,
    trees: {
      'refs/heads/entire/sessions': below(dir, {
        'metadata.json': { ...session('2026-01-05-s1', { agents: ['Claude Code'] }), token_usage: tokens(4) },
        'full.log': `${line('fix it')}\n`,
        'prompt.txt': 'fix <it>',
        'context.md': '# Session Context\n',
      }),
    },
    sessions: [{ id: '2026-01-05-s1', agent: 'Claude Code', prompts: ['fix <it>'] }],
    transcript: `${line('fix it')}\n`,
    tokens: 10,
  },
  'several sessions: earlier ones in numbered directories, the newest at the top': {
    ...one,
    trees: {
      [v1]: below(dir, {
        'metadata.json': session('s3', {
          agent: 'Claude Code',
          session_count: 3,
          session_ids: ['s1', 's2', 's3'],
          files_touched: ['c.txt'],
          transcript_uuid_at_start: 'u1',
          transcript_lines_at_start: 4,
          token_usage: tokens(1),
        }),
        'full.jsonl': line('three'),
        'full.jsonl.001': line('four'),
        'prompt.txt': 'three\n\n---\n\nfour',
        ...below('1', {
          'metadata.json': session('s1', { token_usage: tokens(2) }),
          'full.jsonl': line('one'),
          'prompt.txt': 'one',
        }),
        ...below('2', {
          'metadata.json': session('s2', { agent: 'Gemini CLI', files_touched: null }),
          'full.jsonl': line('two'),
        }),
      }),
    },
    sessions: [
      { id: 's1', agent: 'Claude Code', prompts: ['one'] },
      { id: 's2', agent: 'Gemini CLI', prompts: [] },
      { id: 's3', agent: 'Claude Code', prompts: ['three', 'four'] },
    ],
    prompt: 'four',
    transcript: `${line('three')}\n${line('four')}`,
    files: ['a.txt', 'c.txt'],
    tokens: 15,
  },
  'sessions as a map, paths relative to the checkpoint, times and agents at the top': {
    ...one,
    trees: {
      [v1]: below(dir, {
        'metadata.json': head(
          { '1': paths(1, ''), '2': paths(2, '.') },
          {
            session_count: 2,
            session_ids: ['s1', 's2'],
            created_at: '2026-02-03T04:23:26.07449Z',
            agents: ['Claude Code'],
            branch: '',
          },
        ),
        ...below('1', {
          'metadata.json': session('s1', { agents: ['Gemini CLI', 'Claude Code'] }),
          'full.jsonl': line('one'),
        }),
        ...below('2', {
          'metadata.json': session('s2', { created_at: undefined }),
          'full.jsonl': line('two'),
          'prompt.txt': 'two',
        }),
      }),
    },
    sessions: [
      { id: 's1', agent: 'Gemini CLI', prompts: [] },
      { id: 's2', agent: 'Claude Code', prompts: ['two'] },
    ],
    transcript: line('two'),
  },
  'moved to newer storage: a gap in the numbers, the list of agents a word': {
    ...one,
    trees: {
      'refs/heads/entire/sessions/v1': below(dir, {
        'metadata.json': head([paths(0), paths(2)], {
          migration_source_commit: '0'.repeat(40),
          branch: '',
          token_usage: tokens(20),
        }),
        ...below('0', { ...plainSlot, 'metadata.json': session('s1', { agents: 'Claude Code' }) }),
        ...below('2', {
          ...plainSlot,
          'metadata.json': session('s2', { agents: 'Agent' }),
          'prompt.txt': 'two',
        }),
      }),
    },
    sessions: [
      { id: 's1', agent: 'Claude Code', prompts: ['fix <it>'] },
      { id: 's2', agent: 'Agent', prompts: ['two'] },
    ],
    transcript: `${line('fix it')}\n`,
    tokens: 26,
  },
  'version 0.4: null for empty lists, a digest, all five paths, chunks': {
    ...one,
    trees: {
      [v1]: below(dir, {
        'metadata.json': head([paths(0), paths(1)], {
          cli_version: '0.4.4',
          files_touched: null,
          token_usage: null,
        }),
        ...below('0', {
          'metadata.json': session('s0', { files_touched: null, agent: 'Gemini CLI', checkpoints_count: 0 }),
        }),
        ...below('1', {
          ...plainSlot,
          'metadata.json': session('s1', {
            cli_version: '0.4.4',
            agent: 'Claude Code',
            turn_id: '0f1e2d3c4b5a',
            checkpoint_transcript_start: 3,
          }),
          'full.jsonl': line('1'),
          'full.jsonl.001': line('2'),
          'full.jsonl.003': line('4'),
          'context.md': '# Session Context\n\n## User Prompts\n\n### Prompt 1\n\nfix\n\n',
        }),
      }),
    },
    sessions: [{ id: 's0', agent: 'Gemini CLI', prompts: [] }, ...one.sessions],
    transcript: [line('1'), line('2'), line('4')].join('\n'),
  },
  'version 0.5: keys of absent files left out, models, a document in chunks': {
    ...one,
    trees: {
      [v1]: below(dir, {
        'metadata.json': head([{ metadata: `/${dir}/0/metadata.json`, transcript: `/${dir}/0/full.jsonl` }], {
          token_usage: tokens(0),
        }),
        ...below('0', {
          'metadata.json': session('s1', {
            agent: 'Gemini CLI',
            model: '',
            session_metrics: { turn_count: 2 },
            prompt_attributions: [],
          }),
          'full.jsonl': '{"messages":[{"id":"1"}]}',
          'full.jsonl.001': '{"messages":[{"id":"2"}]}',
        }),
      }),
    },
    sessions: [{ id: 's1', agent: 'Gemini CLI', prompts: [] }],
    transcript: '{"messages":[{"id":"1"},{"id":"2"}]}',
    tokens: 6,
  },
  'auto-commit: a task of a subagent': {
    ...one,
    trees: {
      [v1]: below(dir, {
        'metadata.json': head([paths(0)], { strategy: 'auto-commit' }),
        ...below('0', {
          ...plainSlot,
          'metadata.json': session('s1', {
            agent: 'Claude Code',
            strategy: 'auto-commit',
            is_task: true,
            tool_use_id: 'toolu_1',
          }),
          'tasks/toolu_1/checkpoint.json': { session_id: 's1', tool_use_id: 'toolu_1' },
        }),
        'tasks/toolu_1/agent-7.jsonl': line('sub'),
      }),
    },
    transcript: `${line('fix it')}\n`,
  },
  'a ref of its own': {
    ...plainAge,
    checkpoint: ulid,
    trees: {
      [`refs/entire/checkpoints/1G/${ulid}`]: {
        'metadata.json': head([paths(0, '')], {
          checkpoint_id: ulid,
          token_usage: tokens(10),
          combined_attribution: {},
        }),
        ...below('0', plainSlot),
      },
    },
  },
  'a ref of its own for an id of the branch': {
    ...plainAge,
    trees: {
      [`refs/entire/checkpoints/f7/${hex}`]: {
        'metadata.json': head([paths(0)], { token_usage: tokens(10) }),
        ...below('0', plainSlot),
      },
    },
  },
  'metadata and transcripts apart': {
    ...plainAge,
    trees: {
      'refs/entire/checkpoints/v2/main': {
        [`${dir}/metadata.json`]: head([{ ...paths(0), transcript: `/${dir}/0/transcript.jsonl` }], {
          token_usage: tokens(10),
        }),
        [`${dir}/0/metadata.json`]: plainSlot['metadata.json'],
        [`${dir}/0/prompt.txt`]: 'fix <it>',
        [`${dir}/0/transcript.jsonl`]:
          '{"v":1,"agent":"claude-code","type":"user","content":[{"text":"fix it"}]}\n',
      },
      'refs/entire/checkpoints/v2/full/current': { [`${dir}/0/raw_transcript`]: `${line('fix it')}\n` },
    },
  },
  'transcripts apart, and moved on': {
    ...plainAge,
    trees: {
      'refs/entire/checkpoints/v2/main': {
        [`${dir}/metadata.json`]: head([paths(0)], { token_usage: tokens(10) }),
        ...below(`${dir}/0`, { 'metadata.json': plainSlot['metadata.json'], 'prompt.txt': 'fix <it>' }),
      },
      'refs/entire/checkpoints/v2/full/current': { 'generation.json': {} },
      'refs/entire/checkpoints/v2/full/0000000000002': {
        [`${dir}/0/raw_transcript`]: line('1'),
        [`${dir}/0/raw_transcript.001`]: line('2'),
      },
    },
    transcript: `${line('1')}\n${line('2')}`,
  },
  'transcripts apart, and deleted: the digest is left': {
    isOver: true,
    ...plainAge,
    trees: {
      'refs/entire/checkpoints/v2/main': {
        [`${dir}/metadata.json`]: head([paths(0)], { token_usage: tokens(10) }),
        ...below(`${dir}/0`, {
          'metadata.json': plainSlot['metadata.json'],
          'prompt.txt': 'fix <it>',
          'transcript.jsonl': '{"v":1}\n',
        }),
      },
    },
    transcript: '{"v":1}\n',
  },
  'no field that could be missing': {
    isOver: true,
    ...one,
    trees: {
      [v1]: below(dir, { 'metadata.json': {}, ...below('0', { 'metadata.json': { session_id: 's1' } }) }),
    },
    sessions: [{ id: 's1', prompts: [] }],
    files: [],
  },
  'fields of the wrong kind': {
    isOver: true,
    ...one,
    trees: {
      [v1]: below(dir, {
        'metadata.json': {
          checkpoint_id: 7,
          strategy: null,
          branch: [],
          checkpoints_count: '3',
          files_touched: 'a',
          sessions: 5,
          token_usage: [],
        },
        ...below('0', {
          'metadata.json': {
            ...{
              session_id: 's1',
              created_at: 12,
              agent: { name: 'x' },
              agents: [null, 'Claude Code'],
              files_touched: [1, 'a.txt', null],
            },
            ...{
              token_usage: { input_tokens: -5, output_tokens: 'many', cache_read_input_tokens: 7 },
              summary: 'short',
              initial_attribution: [],
            },
          },
        }),
      }),
    },
    sessions: [{ id: 's1', agent: 'Claude Code', prompts: [] }],
    tokens: 7,
  },
  'an unknown agent': {
    isOver: true,
    ...plainAge,
    trees: { [v1]: { ...plain, [`${dir}/0/metadata.json`]: session('s1', { agent: 'Frobnicator 3000' }) } },
    sessions: [{ id: 's1', agent: 'Frobnicator 3000', prompts: ['fix <it>'] }],
  },
  'the head is lost': {
    ...plainAge,
    trees: {
      [v1]: below(`${dir}/0`, {
        ...plainSlot,
        'metadata.json': { ...plainSlot['metadata.json'], token_usage: tokens(10) },
      }),
    },
  },
  'the head is garbage': {
    ...plainAge,
    trees: { [v1]: { ...plain, [`${dir}/metadata.json`]: '{ "checkpoint_id": "a3b2' } },
    tokens: undefined,
  },
  'a session is lost': {
    ...plainAge,
    trees: {
      [v1]: { ...plain, [`${dir}/metadata.json`]: head([paths(0), paths(1)], { token_usage: tokens(10) }) },
    },
  },
  'a session is garbage': {
    ...plainAge,
    trees: { [v1]: { ...plain, [`${dir}/1/metadata.json`]: '[1', [`${dir}/1/full.jsonl`]: line('lost') } },
  },
  'fetched, but never checked out': {
    ...plainAge,
    trees: { 'refs/remotes/origin/entire/checkpoints/v1': plain },
  },
  'garbage here, whole on the remote': {
    ...plainAge,
    trees: {
      [v1]: { [`${dir}/metadata.json`]: 'garbage' },
      'refs/remotes/origin/entire/checkpoints/v1': plain,
    },
  },
  'files where directories should be, and files of other programs': {
    ...plainAge,
    trees: {
      [v1]: {
        ...plain,
        'README.md': '# hi',
        b7: 'not a shard',
        'c1/short/metadata.json': {},
        'zz/b2c4d5e6f7/metadata.json': {},
        [`${dir}/7`]: 'x',
      },
    },
  },
}
