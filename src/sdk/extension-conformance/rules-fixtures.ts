// Tools and commands, tried with what their author says about them.
import { asArray, asObject, asString } from '../../std/json.ts'
import { hold } from '../conformance/broken.ts'
import type { Fixtures } from './fixtures.ts'
import type { Answer, Call, Probe } from './probe.ts'
import type { Rule } from './rule.ts'
import { expectAlive } from './rules-requests.ts'
import { excerpt } from './wire-log.ts'

export function fixtureRules({ tools, commands }: Fixtures): Rule[] {
  return [
    ...tools.map((tool, at): Rule => {
      const id = `tools/${at + 1}-${tool.name}`
      const run = async (probe: Probe) => {
        const request = probe.send('tool/execute', { callId: 'check', name: tool.name, args: tool.args })
        if (tool.cancel) return await expectCancelled(probe, request)
        const { error, result } = await probe.answerTo(request)
        hold(error === undefined, outcome(`the tool ${tool.name} to answer`, error))
        const said = textOf(result)
        const isError = asObject(result)?.isError === true
        hold(isError === tool.isError, outcome(`the tool ${tool.name} to ${tool.isError ? 'fail' : 'succeed'}`, result))
        hold(tool.contains === undefined || said.includes(tool.contains), outcome(`a text with ${JSON.stringify(tool.contains)}`, result))
      }
      return { id, title: `The tool ${tool.name} does what its fixture says`, level: 'must', run: async ({ start }) => run(await start()) }
    }),
    ...commands.map((command, at): Rule => {
      const id = `commands/${at + 1}-${command.name}`
      const run = async (probe: Probe) => {
        const { error } = await probe.ask('command/execute', { name: command.name, args: command.args })
        hold(error === undefined, outcome(`the command ${command.name} to succeed`, error))
        const shown = probe.calls.flatMap(shownText).join('\n')
        hold(command.says === undefined || shown.includes(command.says), outcome(`${JSON.stringify(command.says)} to be shown`, shown))
      }
      return {
        id,
        title: `The command ${command.name} does what its fixture says`,
        level: 'must',
        run: async ({ start }) => run(await start()),
      }
    }),
  ]
}

async function expectCancelled(probe: Probe, request: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 200))
  probe.tell('$/cancelRequest', { id: request })
  await expectAlive(probe, 'a tool that was called back')
  const answer: Answer = await probe.answerTo(request)
  hold(
    answer.error !== undefined || asObject(answer.result)?.isError === true,
    outcome('an error from a tool that was called back', answer.result),
  )
}

function outcome(expected: string, received: unknown) {
  return {
    expected,
    received: excerpt(typeof received === 'string' ? received : JSON.stringify(received)),
    fix: 'Correct the handler, or the fixture.',
  }
}

function textOf(result: unknown): string {
  const blocks = asArray(asObject(result)?.content).map(asObject)
  return blocks.map((block) => asString(block?.text ?? block?.Text) ?? '').join('\n')
}

function shownText({ method, params }: Call): string[] {
  const { message, text, content } = asObject(params) ?? {}
  if (!['notify', 'showMessage', 'showOverlay', 'setWidget', 'sendMessage', 'setInputText'].includes(method)) return []
  return [message, text, content].flatMap((value) => asString(value) ?? [])
}
