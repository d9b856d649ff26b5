// Runs the commands of the guide in order, as a reader would, and compares their output with the guide.
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const guide = readFileSync(resolve(import.meta.dir, '../../docs/first-week.md'), 'utf8')

type Step = { command: string; expected: string[] } | { direction: string }

/** Commands of the console blocks with what they print, and the stage directions between them. */
function readSteps(text: string): Step[] {
  return [...text.matchAll(/^```console\n([\s\S]*?)^```$|^<!-- (.*) -->$/gm)].flatMap(
    ([, block, direction]): Step[] => {
      if (direction !== undefined) return [{ direction }]
      return (block ?? '')
        .split(/^\$ /m)
        .slice(1)
        .map((part) => {
          const [command = '', ...expected] = part.trimEnd().split('\n')
          return { command, expected: expected.filter((line) => line !== '' && line !== '…') }
        })
    },
  )
}

interface Stage {
  repo: RecordedRepo
  agent: FakeAgent
  place: { cwd: string; env: Record<string, string | undefined> }
  names: Map<string, string>
}

const directions: [RegExp, (stage: Stage, words: string[]) => Promise<void>][] = [
  [
    /^agent: ([^|]+) \| (.*)$/,
    ({ agent }, [prompt = '', files = '']) =>
      agent.turn(
        prompt,
        Object.fromEntries(
          files.split(' | ').map((file) => [file.split(' = ')[0] ?? '', `${file.split(' = ')[1]}\n`]),
        ),
      ),
  ],
  [
    /^let (\S+) = rewind point (\d+)$/,
    async (stage, [name = '', number]) => {
      const points = JSON.parse((await stage.repo.entire(['rewind', '--list'])).out) as { id: string }[]
      stage.names.set(name, points[Number(number) - 1]?.id.slice(0, 7) ?? '')
    },
  ],
  [
    /^let (\S+) = checkpoint of (\S+)$/,
    async (stage, [name = '', rev]) => void stage.names.set(name, await stage.repo.checkpointOf(rev)),
  ],
  [
    /^remote$/,
    async ({ repo }) => {
      await repo.git('init', '--quiet', '--bare', join(repo.base, 'origin.git'))
      await repo.git('remote', 'add', 'origin', join(repo.base, 'origin.git'))
    },
  ],
  [
    /^at another desk$/,
    async (stage) => {
      const cwd = join(stage.repo.base, 'elsewhere')
      await stage.repo.git('clone', '--quiet', join(stage.repo.base, 'origin.git'), cwd)
      const home = join(stage.repo.base, 'other-home')
      mkdirSync(home)
      stage.place = { cwd, env: { ...stage.repo.env, HOME: home } }
    },
  ],
  [
    /^at home$/,
    async (stage) => {
      stage.place = { cwd: stage.repo.root, env: stage.repo.env }
    },
  ],
]

async function follow(stage: Stage, direction: string): Promise<void> {
  const known = directions.find(([pattern]) => pattern.test(direction))
  if (known === undefined) throw new Error(`Unknown direction: ${direction}`)
  await known[1](stage, known[0].exec(direction)?.slice(1) ?? [])
}

async function run({ repo, place, names }: Stage, command: string, expected: string[]): Promise<void> {
  const named = (text: string) =>
    [...names].reduce((result, [name, value]) => result.replaceAll(name, value), text)
  const child = Bun.spawn(['sh', '-c', named(command)], {
    ...place,
    env: { ...repo.env, ...place.env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect(`${command}\n${err}exit ${code}`).toBe(`${command}\n${err}exit 0`)
  for (const line of expected) {
    const pieces = named(line).split('…')
    const isThere = `${out}${err}`
      .split('\n')
      .some((printed) => pieces.every((piece) => printed.includes(piece.trim())))
    expect(isThere ? line : `${command} printed:\n${out}${err}`).toBe(line)
  }
}

test('the first week goes as described', async () => {
  await using repo = await recordedRepo()
  // The guide begins before `enable`.
  await repo.entire(['disable', '--uninstall', '--force'])
  await repo.git('branch', '--quiet', '-D', 'entire/checkpoints/v1')
  const stage: Stage = {
    repo,
    agent: fakeAgent(repo),
    place: { cwd: repo.root, env: repo.env },
    names: new Map(),
  }
  const steps = readSteps(guide)
  expect(steps.length).toBeGreaterThan(35)
  for (const step of steps)
    await ('direction' in step ? follow(stage, step.direction) : run(stage, step.command, step.expected))
})
