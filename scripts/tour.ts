// Shows the product in a minute, with a scripted agent in a temporary repository (`npm run tour`).
import { join } from 'node:path'
import { installAgent } from './tour-agent.ts'
import { type Narrator, narrateTo } from './tour-narrator.ts'
import { type Stage, setStage } from './tour-stage.ts'

const greet = `export function greet(name) {\n  return \`Hello, \${name}!\`\n}\n`
const part = `export function part(name) {\n  return \`Goodbye, \${name}!\`\n}\n`
const wreck = `export function greet() {\n  throw new Error('TODO: rewrite everything')\n}\n`

const prompts = {
  greet: 'Write a function that greets someone',
  part: 'Now one that says goodbye',
  wreck: 'Make it all simpler',
}
const script = {
  session: 'monday-1',
  start: new Date().toISOString(),
  turns: [
    { prompt: prompts.greet, edits: { 'greet.js': greet }, answer: 'I wrote greet.js.' },
    { prompt: prompts.part, edits: { 'part.js': part }, answer: 'I wrote part.js.' },
    { prompt: prompts.wreck, edits: { 'greet.js': wreck }, answer: 'I started to rewrite greet.js.' },
  ],
}

async function tour(stage: Stage, tell: Narrator): Promise<void> {
  /** Shows a command, runs it, and shows its output. */
  const show = (line: string, options?: { lines?: number }) => {
    tell.command(line)
    const output = stage.run(['sh', '-c', line])
    tell.output(output, options)
    return output
  }
  const points = () =>
    JSON.parse(stage.run(['entire', 'rewind', '--list'])) as {
      id: string
      message: string
      is_logs_only: boolean
    }[]

  await tell.step(
    'A repository',
    'Any git repository will do. This one is new and will be removed when the tour ends.',
  )
  stage.write('README.md', '# hello\n')
  show('git init --quiet && git add README.md && git commit --quiet -m "First commit" && git log --oneline')

  await tell.step(
    'Enable it',
    "Once per repository. It adds hooks to the agent's settings and to git; nothing runs in between.",
  )
  await installAgent(stage, script)
  show('entire enable --agent demo')
  stage.run(['sh', '-c', 'git add --all && git commit --quiet -m "Enable entire"'])

  await tell.step(
    'Work as always',
    'You prompt, the agent writes (this one plays a script). Its hooks call `entire`, which keeps a step of every turn.',
  )
  show(`demo-agent "${prompts.greet}"`)
  show('git status --short')
  tell.say('Your branch, index and files are as you would expect: a step is stored beside them.')

  await tell.step(
    'Commit as always',
    'The commit gets one extra line: the name of a checkpoint that holds the prompts and the transcript behind it.',
  )
  show('git add greet.js && git commit --quiet -m "Greet people" && git log -1 --format=%B')

  await tell.step('Ask why', 'A month later: what was asked, what was done, what did it cost?')
  show('entire explain --commit HEAD --no-pager', { lines: 24 })

  await tell.step(
    'When it goes wrong',
    'Two more turns. The first is good. The second wrecks a file, while the repository contains a note of your own.',
  )
  show(`demo-agent --resume ${script.session} "${prompts.part}"`)
  stage.write('notes.txt', 'my own notes\n')
  show(`demo-agent --resume ${script.session} "${prompts.wreck}"`)
  show('cat greet.js')

  await tell.step(
    'Go back',
    'You can return to every turn. Only files that the session changed are touched: your notes stay.',
  )
  const good = points().find((point) => !point.is_logs_only && point.message.includes('goodbye'))
  if (good === undefined) throw new Error('The turn that wrote part.js is not among the rewind points.')
  show(`entire rewind --to ${good.id.slice(0, 10)}`)
  show('cat greet.js && ls *.js notes.txt')
  expectFiles(stage, { 'greet.js': greet, 'part.js': part, 'notes.txt': 'my own notes\n' })

  await tell.step('And forth', 'A rewind can itself be undone, as often as you like.')
  show('entire rewind --undo')
  show('head -2 greet.js')
  expectFiles(stage, { 'greet.js': wreck, 'part.js': part, 'notes.txt': 'my own notes\n' })
  show(`entire rewind --to ${good.id.slice(0, 10)} >/dev/null && head -2 greet.js`)

  await tell.step(
    'Commit the good part',
    'The second checkpoint. Checkpoints live on a branch of their own, and travel with your next `git push`.',
  )
  show('git add part.js && git commit --quiet -m "Say goodbye" && git log --oneline')
  show('entire explain --no-pager')
  show('git log --oneline entire/checkpoints/v1')

  tell.say(
    'That is all. In a repository of your own:\n\n   npm link                # puts `entire` on your PATH\n   entire enable           # in your repository\n',
  )
}

/** Fails when the files are not what the tour says. */
function expectFiles(stage: Stage, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    if (stage.read(path) !== content)
      throw new Error(`${path} is not what the tour says:\n${stage.read(path)}`)
  }
}

const stage = setStage(join(import.meta.dir, '..', 'dist', 'entire'))
const keep = process.argv.includes('--keep')
try {
  await tour(stage, narrateTo({ isTTY: process.stdout.isTTY, write: (text) => process.stdout.write(text) }))
} catch (error) {
  console.error(`\nThe tour stopped: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  if (keep) console.log(`The repository is kept in ${stage.root}`)
  else stage.remove()
}
