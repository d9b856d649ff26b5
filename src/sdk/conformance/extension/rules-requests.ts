// Defines the rules on known and unknown requests, and on the tools and commands that fixtures call.

import { rpcErrorCodes } from '../../../protocol/extension/rpc.ts'
import { asArray, asObject, asString } from '../../../std/json.ts'
import { hold } from '../rule.ts'
import type { Probe, ProbeAnswer, ProbeCall } from './probe.ts'
import type { ExtensionFixtures } from './sandbox.ts'
import type { ExtensionRule } from './trial.ts'
import { excerptOf } from './wire-log.ts'

/** A request that no extension knows: its answer shows that the extension still reads and writes. */
export const unknownMethod = '$/check'

export const unknownMethodRule = 'requests/unknown-method'

/** Breaks the rule when the extension no longer answers. */
export async function expectAlive(probe: Probe, after: string, withinMs?: number): Promise<void> {
  const { error } = await probe.ask(unknownMethod, {}, withinMs)
  hold(error !== undefined, {
    expected: `an error for \`${unknownMethod}\` after ${after}`,
    received: 'a result',
    fix: unknownFix,
  })
}

const unknownFix = `Answer unknown methods with error ${rpcErrorCodes.unknownMethod}: newer hosts may send some.`

export const requestRules: ExtensionRule[] = [
  {
    id: unknownMethodRule,
    title: 'An unknown request is answered with an error',
    level: 'must',
    run: async ({ start }) => {
      const { error, result } = await (await start()).ask(unknownMethod)
      hold(error?.code === rpcErrorCodes.unknownMethod, {
        expected: `error ${rpcErrorCodes.unknownMethod}`,
        received: error
          ? `error ${error.code}: ${error.message}`
          : `result ${excerptOf(JSON.stringify(result))}`,
        fix: unknownFix,
      })
    },
  },
  {
    id: 'requests/unknown-notice',
    title: 'An unknown notice is ignored',
    level: 'must',
    needs: [unknownMethodRule],
    run: async ({ start }) => {
      const probe = await start()
      probe.tell(unknownMethod, { a: 1 })
      probe.tell('eventBus/event', { topic: 'check', subscriptionId: 999, data: null })
      probe.tell('$/cancelRequest', { id: 999 })
      await expectAlive(probe, 'unknown notices')
    },
  },
  {
    id: 'requests/unknown-tool',
    title: 'A call of an unknown tool is answered with an error',
    level: 'must',
    run: async ({ start }) =>
      expectRefusal(
        await (await start()).ask('tool/execute', { callId: 'c', name: 'no-such-tool', args: {} }),
        'tool',
      ),
  },
  {
    id: 'requests/unknown-command',
    title: 'A call of an unknown command is answered with an error',
    level: 'must',
    run: async ({ start }) =>
      expectRefusal(
        await (await start()).ask('command/execute', { name: 'no-such-command', args: '' }),
        'command',
      ),
  },
  {
    id: 'requests/without-params',
    title: 'A request without params is answered',
    level: 'must',
    needs: [unknownMethodRule],
    run: async ({ start }) => {
      const probe = await start()
      for (const params of [undefined, null, 'text']) {
        const { id } = probe.lineFor(unknownMethod)
        await probe.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: unknownMethod, params })}\n`)
        await probe.answerTo(id)
      }
    },
  },
  {
    id: 'requests/in-parallel',
    title: 'Many parallel requests are all answered',
    level: 'must',
    needs: [unknownMethodRule],
    run: async ({ start }) => {
      const probe = await start()
      const ids = Array.from({ length: 200 }, () => probe.send(unknownMethod))
      await Promise.all(ids.map((id) => probe.answerTo(id)))
    },
  },
  {
    id: 'requests/cancel',
    title: 'It survives the cancellation of a request',
    level: 'must',
    needs: [unknownMethodRule],
    run: async ({ start }) => {
      const probe = await start()
      probe.tell('$/cancelRequest', { id: probe.send(unknownMethod) })
      await expectAlive(probe, '`$/cancelRequest`')
    },
  },
]

function expectRefusal({ error, result }: ProbeAnswer, what: string): void {
  hold(error !== undefined || asObject(result)?.isError === true, {
    expected: `an error (${rpcErrorCodes.invalidParams}) for an unknown ${what}`,
    received: excerptOf(JSON.stringify(result)),
    fix: `Look the ${what} up by its name, and answer with error ${rpcErrorCodes.invalidParams} when it does not exist.`,
  })
}

export function extensionFixtureRules({ tools, commands }: ExtensionFixtures): ExtensionRule[] {
  return [
    ...tools.map((tool, at): ExtensionRule => {
      const id = `tools/${at + 1}-${tool.name}`
      const run = async (probe: Probe) => {
        const request = probe.send('tool/execute', { callId: 'check', name: tool.name, args: tool.args })
        if (tool.cancel) return await expectCancelled(probe, request)
        const { error, result } = await probe.answerTo(request)
        hold(error === undefined, outcome(`the tool ${tool.name} to answer`, error))
        const text = resultText(result)
        const isError = asObject(result)?.isError === true
        hold(
          isError === tool.isError,
          outcome(`the tool ${tool.name} to ${tool.isError ? 'fail' : 'succeed'}`, result),
        )
        hold(
          tool.contains === undefined || text.includes(tool.contains),
          outcome(`a text with ${JSON.stringify(tool.contains)}`, result),
        )
      }
      return {
        id,
        title: `The tool ${tool.name} does what its fixture says`,
        level: 'must',
        run: async ({ start }) => run(await start()),
      }
    }),
    ...commands.map((command, at): ExtensionRule => {
      const id = `commands/${at + 1}-${command.name}`
      const run = async (probe: Probe) => {
        const { error } = await probe.ask('command/execute', { name: command.name, args: command.args })
        hold(error === undefined, outcome(`the command ${command.name} to succeed`, error))
        const shown = probe.calls.flatMap(shownText).join('\n')
        hold(
          command.says === undefined || shown.includes(command.says),
          outcome(`${JSON.stringify(command.says)} to be shown`, shown),
        )
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
  await expectAlive(probe, 'a cancelled tool call')
  const answer: ProbeAnswer = await probe.answerTo(request)
  hold(
    answer.error !== undefined || asObject(answer.result)?.isError === true,
    outcome('an error from a cancelled tool call', answer.result),
  )
}

function outcome(expected: string, received: unknown) {
  return {
    expected,
    received: excerptOf(typeof received === 'string' ? received : JSON.stringify(received)),
    fix: 'Correct the handler, or the fixture.',
  }
}

function resultText(result: unknown): string {
  const blocks = asArray(asObject(result)?.content).map(asObject)
  return blocks.map((block) => asString(block?.text ?? block?.Text) ?? '').join('\n')
}

function shownText({ method, params }: ProbeCall): string[] {
  const { message, text, content } = asObject(params) ?? {}
  if (!['notify', 'showMessage', 'showOverlay', 'setWidget', 'sendMessage', 'setInputText'].includes(method))
    return []
  return [message, text, content].flatMap((value) => asString(value) ?? [])
}
