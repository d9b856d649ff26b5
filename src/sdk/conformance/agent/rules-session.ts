// Defines the rules on the ids, the directory and the files of sessions.

import { existsSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { parseSubcommandAnswer } from '../../../protocol/external-agent/answer.ts'
import { hold } from '../rule.ts'
import {
  type AgentRule,
  brokenJson,
  hookInput,
  resolveSessionFile,
  sampleSession,
  sampleSessionId,
} from './trial.ts'

export const sessionRules: AgentRule[] = [
  {
    id: 'detect/answers',
    title: '`detect` says whether the agent is present',
    level: 'must',
    run: async ({ ask }) => {
      await ask('detect', {})
    },
  },
  {
    id: 'get-session-id/answers',
    title: '`get-session-id` returns the id of the session',
    level: 'must',
    run: async ({ ask }) => {
      const answer = await ask('get-session-id', {}, hookInput(sampleSessionId, ''))
      hold(answer.session_id !== '', {
        expected: JSON.stringify(sampleSessionId),
        received: '""',
        fix: 'Take `session_id` from stdin, or find the id in `raw_data`.',
      })
    },
  },
  {
    id: 'get-session-id/empty',
    title: '`get-session-id` accepts an input without an id',
    level: 'must',
    needs: ['get-session-id/answers'],
    run: async ({ ask }) => {
      await ask('get-session-id', {}, hookInput('', ''))
    },
  },
  {
    id: 'get-session-id/bad-json',
    title: '`get-session-id` refuses input that is not JSON',
    level: 'must',
    needs: ['get-session-id/answers'],
    run: ({ refuse }) => refuse(['get-session-id'], brokenJson, 'stdin is not JSON'),
  },
  {
    id: 'get-session-dir/answers',
    title: '`get-session-dir` returns a directory',
    level: 'must',
    run: async ({ ask, root }) => {
      await ask('get-session-dir', { 'repo-path': root })
    },
  },
  {
    id: 'get-session-dir/absolute',
    title: '`get-session-dir` returns an absolute path',
    level: 'should',
    needs: ['get-session-dir/answers'],
    run: async ({ ask, root }) => {
      const { session_dir } = await ask('get-session-dir', { 'repo-path': root })
      hold(isAbsolute(session_dir), {
        expected: 'an absolute path',
        received: session_dir,
        fix: 'Build the path from HOME or from --repo-path.',
      })
    },
  },
  {
    id: 'resolve-session-file/answers',
    title: '`resolve-session-file` returns the file of the session',
    level: 'must',
    run: async ({ ask, root }) => {
      const { session_file } = await ask('resolve-session-file', {
        'session-dir': root,
        'session-id': sampleSessionId,
      })
      hold(session_file.includes(sampleSessionId), {
        expected: `a path with ${sampleSessionId} in it`,
        received: session_file,
        fix: 'Two sessions must never share a file: build its name from --session-id.',
      })
    },
  },
  {
    id: 'resolve-session-file/inside',
    title: 'The file of a session is inside the directory of sessions',
    level: 'must',
    needs: ['get-session-dir/answers', 'resolve-session-file/answers'],
    run: async (trial) => {
      const { dir, file } = await resolveSessionFile(trial, sampleSessionId)
      hold(isInside(dir, file), {
        expected: `a path inside ${dir}`,
        received: file,
        fix: 'Join --session-dir and the name of the file. Sessions outside of it are never written.',
      })
    },
  },
  {
    id: 'resolve-session-file/hostile-id',
    title: 'A session id with `..` in it does not lead out of the directory',
    level: 'should',
    needs: ['resolve-session-file/inside'],
    run: async ({ run, root }) => {
      const dir = join(root, 'sessions')
      const { code, stdout } = await run([
        'resolve-session-file',
        '--session-dir',
        dir,
        '--session-id',
        '../../../outside',
      ])
      const answer = parseSubcommandAnswer('resolve-session-file', stdout)
      hold(code !== 0 || !answer.ok || isInside(dir, answer.value.session_file), {
        expected: 'a refusal, or a path inside the directory',
        received: stdout.toString('utf8').trim(),
        fix: 'Refuse ids with `/` or `..`: ids come from outside.',
      })
    },
  },
  {
    id: 'write-session/answers',
    title: '`write-session` accepts a session',
    level: 'must',
    needs: ['resolve-session-file/inside'],
    run: async (trial) => {
      await trial.bytes('write-session', {}, await sampleSession(trial))
    },
  },
  {
    id: 'write-session/null-lists',
    title: '`write-session` accepts null for an empty list',
    level: 'must',
    needs: ['write-session/answers'],
    run: async (trial) => {
      const session = await sampleSession(trial)
      await trial.bytes(
        'write-session',
        {},
        { ...session, modified_files: null, new_files: null, deleted_files: null },
      )
    },
  },
  {
    id: 'write-session/bad-json',
    title: '`write-session` refuses input that is not JSON',
    level: 'must',
    needs: ['write-session/answers'],
    run: ({ refuse }) => refuse(['write-session'], brokenJson, 'stdin is not JSON'),
  },
  {
    id: 'write-session/hostile-ref',
    title: '`write-session` writes nothing outside of the directory of sessions',
    level: 'should',
    needs: ['write-session/answers'],
    run: async (trial) => {
      const outside = join(trial.home, '..', 'outside', 'session.jsonl')
      await trial.run(['write-session'], { ...(await sampleSession(trial)), session_ref: outside })
      hold(!existsSync(outside), {
        expected: 'a refusal',
        received: `a file at ${outside}`,
        fix: 'Compare `session_ref` with the directory of sessions before writing.',
      })
    },
  },
]

function isInside(dir: string, path: string): boolean {
  const way = relative(dir, isAbsolute(path) ? path : join(dir, path))
  return way !== '' && !way.split(/[/\\]/).includes('..') && !isAbsolute(way)
}
