// Makes the files of a new agent plugin for `entire agent new`, which works as it is and marks what to
// change.

import { formatJson } from '../../std/json.ts'
import goMain from './agent/go/main.txt' with { type: 'text' }
import goMod from './agent/go/mod.txt' with { type: 'text' }
import goReadme from './agent/go/readme.txt' with { type: 'text' }
import goTest from './agent/go/test.txt' with { type: 'text' }
import pythonAgent from './agent/python/entire-agent.txt' with { type: 'text' }
import pythonReadme from './agent/python/readme.txt' with { type: 'text' }
import pythonTest from './agent/python/test.txt' with { type: 'text' }
import shAgent from './agent/sh/entire-agent.txt' with { type: 'text' }
import shReadme from './agent/sh/readme.txt' with { type: 'text' }
import shTest from './agent/sh/test.txt' with { type: 'text' }
import tsAgent from './agent/ts/agent.txt' with { type: 'text' }
import tsKit from './agent/ts/kit.txt' with { type: 'text' }
import tsLauncher from './agent/ts/launcher.txt' with { type: 'text' }
import tsMain from './agent/ts/main.txt' with { type: 'text' }
import tsPackage from './agent/ts/package.txt' with { type: 'text' }
import tsReadme from './agent/ts/readme.txt' with { type: 'text' }
import tsTest from './agent/ts/test.txt' with { type: 'text' }
import {
  type AgentLanguage,
  displayName,
  fillTemplates,
  requireName,
  type ScaffoldFile,
  type Template,
} from './template.ts'
import tsConfig from './tsconfig.txt' with { type: 'text' }

// Samples of the agent that the templates assume, which the author replaces by real ones.
const payload = {
  session_id: 'sample-1',
  transcript_path: '{home}/sample-1.jsonl',
  timestamp: '2026-01-13T12:00:00Z',
}

const transcript = [
  { role: 'user', text: 'Fix the login' },
  { role: 'assistant', text: 'Fixed.', files: ['src/login.ts'], usage: { input: 120, output: 8 } },
]

/** `analyses`: whether the template reads transcripts, so that the fixtures can say what it must find. */
function sampleFixtures(analyses: boolean): string {
  return formatJson({
    hooks: [
      {
        hook: 'session-start',
        payload,
        event: { type: 1, session_id: 'sample-1', session_ref: '{home}/sample-1.jsonl' },
      },
      {
        hook: 'prompt',
        payload: { ...payload, prompt: 'Fix the login' },
        event: { type: 2, prompt: 'Fix the login' },
      },
      { hook: 'stop', payload, event: { type: 3, timestamp: '2026-01-13T12:00:00Z' } },
      { hook: 'session-end', payload, event: { type: 5 } },
      { hook: 'something-else', payload, event: null },
    ],
    transcripts: [
      {
        text: transcript.map((line) => `${JSON.stringify(line)}\n`).join(''),
        ...(analyses ? expectations : {}),
      },
    ],
  })
}

const expectations = {
  position: 2,
  files: ['src/login.ts'],
  prompts: ['Fix the login'],
  summary: 'Fixed.',
  tokens: { input_tokens: 120, output_tokens: 8, api_call_count: 1 },
  from: [{ offset: 1, prompts: [] }],
}

const templates: Record<AgentLanguage, Template[]> = {
  ts: [
    ['entire-agent-{{name}}', tsLauncher, 'executable'],
    ['src/agent.mts', tsAgent],
    ['src/main.mts', tsMain],
    ['src/kit.mts', tsKit],
    ['test/agent.test.mjs', tsTest],
    ['fixtures.json', sampleFixtures(true)],
    ['package.json', tsPackage],
    ['tsconfig.json', tsConfig],
    ['README.md', tsReadme],
    ['.gitignore', 'node_modules/\ndist/\n'],
  ],
  python: [
    ['entire-agent-{{name}}', pythonAgent, 'executable'],
    ['test_agent.py', pythonTest],
    ['fixtures.json', sampleFixtures(true)],
    ['README.md', pythonReadme],
    ['.gitignore', '__pycache__/\n'],
  ],
  go: [
    ['main.go', goMain],
    ['main_test.go', goTest],
    ['go.mod', goMod],
    ['fixtures.json', sampleFixtures(true)],
    ['README.md', goReadme],
    ['.gitignore', '/entire-agent-{{name}}\n'],
  ],
  sh: [
    ['entire-agent-{{name}}', shAgent, 'executable'],
    ['test.sh', shTest, 'executable'],
    ['fixtures.json', sampleFixtures(false)],
    ['README.md', shReadme],
  ],
}

export function scaffoldAgent(name: string, language: AgentLanguage): ScaffoldFile[] {
  requireName(name, 'agent')
  return fillTemplates(templates[language], { name, type: displayName(name) })
}
