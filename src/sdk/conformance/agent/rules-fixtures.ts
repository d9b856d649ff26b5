// Makes a rule of each sample in the fixtures of the author.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { hold } from '../rule.ts'
import {
  type AgentFixtures,
  fill,
  fillAll,
  type HookFixture,
  sampleBytes,
  type TranscriptFixture,
} from './fixtures.ts'
import { expectSameBytes } from './rules-transcript.ts'
import { type AgentRule, type AgentTrial, resolveSessionFile } from './trial.ts'

export function agentFixtureRules(fixtures: AgentFixtures): AgentRule[] {
  return [
    ...fixtures.hooks.map((sample, at) => hookRule(fixtures, sample, at)),
    ...fixtures.transcripts.flatMap((sample, at) => transcriptRules(fixtures, sample, at)),
    ...(fixtures.settings.length === 0 ? [] : [settingsRule(fixtures)]),
    ...(fixtures.resume === undefined ? [] : [resumeRule(fixtures.resume)]),
  ]
}

function hookRule(fixtures: AgentFixtures, sample: HookFixture, at: number): AgentRule {
  return {
    id: `fixtures/hooks/${at + 1}`,
    title: `Sample ${at + 1} of the hook ${sample.hook} means what the fixtures say`,
    level: 'must',
    requires: 'hooks',
    needs: ['parse-hook/events'],
    run: async (trial) => {
      const payload =
        sample.file === undefined
          ? JSON.stringify(fillAll(sample.payload, trial))
          : sampleBytes(fixtures, sample, trial)
      const event = await trial.ask('parse-hook', { hook: sample.hook }, payload)
      const expected = fillAll(sample.event, trial)
      expectEqual(
        expected === null || event === null ? event : pick(event, expected),
        expected,
        `\`parse-hook --hook ${sample.hook}\``,
      )
    },
  }
}

function transcriptRules(fixtures: AgentFixtures, sample: TranscriptFixture, at: number): AgentRule[] {
  const rule = (
    part: string,
    title: string,
    more: Pick<AgentRule, 'requires' | 'needs' | 'run'>,
  ): AgentRule => ({
    id: `fixtures/transcripts/${at + 1}/${part}`,
    title: `Transcript ${at + 1}: ${title}`,
    level: 'must',
    ...more,
  })
  const readings = [{ offset: 0, ...sample }, ...sample.from]
  return [
    rule('bytes', 'its bytes survive reading, cutting and joining', {
      needs: ['read-transcript/bytes', 'chunk-transcript/round-trip'],
      run: async (trial) => {
        const bytes = sampleBytes(fixtures, sample, trial)
        const path = await placeSample(trial, sample.session, bytes)
        expectSameBytes(
          await trial.bytes('read-transcript', { 'session-ref': path }),
          bytes,
          'Copy the file as it is.',
        )
        const chunks = await trial.ask('chunk-transcript', { 'max-size': 4096 }, bytes)
        expectSameBytes(
          await trial.bytes('reassemble-transcript', {}, chunks),
          bytes,
          'Join exactly what was cut.',
        )
      },
    }),
    rule('analysis', 'positions, files, prompts and summary are as expected', {
      requires: 'transcript_analyzer',
      needs: [
        'resolve-session-file/inside',
        'extract-modified-files/position',
        'extract-prompts/answers',
        'extract-summary/answers',
      ],
      run: async (trial) => {
        const path = await placeSample(trial, sample.session, sampleBytes(fixtures, sample, trial))
        const { position } = await trial.ask('get-transcript-position', { path })
        if (sample.position !== undefined) expectEqual(position, sample.position, 'the position')
        for (const { offset, files, prompts } of readings) {
          const found = await trial.ask('extract-modified-files', { path, offset })
          expectEqual(found.current_position, position, '`current_position`')
          if (files)
            expectEqual([...found.files].sort(), fillAll(files, trial).sort(), `files from ${offset} on`)
          const answer = await trial.ask('extract-prompts', { 'session-ref': path, offset })
          if (prompts) expectEqual(answer.prompts, fillAll(prompts, trial), `prompts from ${offset} on`)
        }
        if (sample.summary === undefined) return
        const { summary, has_summary } = await trial.ask('extract-summary', { 'session-ref': path })
        expectEqual(has_summary ? summary : null, sample.summary, 'the summary')
      },
    }),
    rule('tokens', 'tokens are as expected', {
      requires: 'token_calculator',
      needs: ['calculate-tokens/answers'],
      run: async (trial) => {
        const bytes = sampleBytes(fixtures, sample, trial)
        for (const { offset, tokens } of readings) {
          const counted = await trial.ask('calculate-tokens', { offset }, bytes)
          if (tokens) expectEqual(pick(counted ?? {}, tokens), tokens, `tokens from ${offset} on`)
        }
      },
    }),
    rule('compact', 'it has a compact form', {
      requires: 'compact_transcript',
      needs: ['resolve-session-file/inside'],
      run: async (trial) => {
        const path = await placeSample(trial, sample.session, sampleBytes(fixtures, sample, trial))
        await trial.ask('compact-transcript', { 'session-ref': path })
      },
    }),
  ]
}

/**
 * Writes the sample where the plugin keeps sessions, but only inside the sandbox: the plugin is not trusted
 * with other paths.
 */
async function placeSample(trial: AgentTrial, session: string, bytes: Buffer): Promise<string> {
  const { file } = await resolveSessionFile(trial, session)
  const isInSandbox = [trial.root, trial.home].some((dir) => file.startsWith(dir + sep))
  const path = isInSandbox ? file : join(trial.root, 'sessions', basename(file))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  return path
}

function settingsRule(fixtures: AgentFixtures): AgentRule {
  return {
    id: 'fixtures/settings',
    title: 'Settings of the user are the same after installing and uninstalling hooks',
    level: 'must',
    requires: 'hooks',
    needs: ['uninstall-hooks/removes'],
    run: async (trial) => {
      const files = fixtures.settings.map((sample) => ({
        path: join(trial.root, sample.path),
        bytes: sampleBytes(fixtures, sample, trial),
      }))
      for (const { path, bytes } of files) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, bytes)
      }
      await trial.ask('install-hooks', { force: false, 'local-dev': false })
      await trial.bytes('uninstall-hooks', {})
      for (const { path, bytes } of files) {
        const left = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
        expectSameBytes(left, bytes, 'Change your own entries only, and keep the form of the file.')
      }
    },
  }
}

function resumeRule(resume: NonNullable<AgentFixtures['resume']>): AgentRule {
  return {
    id: 'fixtures/resume',
    title: 'The resume command is the expected one',
    level: 'must',
    needs: ['format-resume-command/answers'],
    run: async (trial) => {
      const { command } = await trial.ask('format-resume-command', { 'session-id': resume.session })
      expectEqual(command, fill(resume.command, trial), '`format-resume-command`')
    },
  }
}

/** The fields of the value that the fixtures expect. */
function pick(value: object, expected: object): object {
  return Object.fromEntries(
    Object.keys(expected).map((key) => [key, (value as Record<string, unknown>)[key]]),
  )
}

function expectEqual(received: unknown, expected: unknown, what: string): void {
  hold(isDeepStrictEqual(received, expected), {
    expected: `${what}: ${JSON.stringify(expected)}`,
    received: JSON.stringify(received) ?? 'nothing',
    fix: 'Correct the plugin, or the fixtures if they are wrong.',
  })
}
