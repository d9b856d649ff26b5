// Rules about every message of every trial: looked at last, when all of them are there.
import { hold } from '../conformance/broken.ts'
import type { Rule } from './rule.ts'
import type { WireFault } from './wire-log.ts'

interface MessageRule {
  title: string
  level: Rule['level']
  expected: string
  fix: string
}

const table: Record<WireFault, MessageRule> = {
  json: {
    title: 'Every line it writes to the channel is a message',
    level: 'must',
    expected: 'one JSON-RPC message per line: whole numbers as ids, and a method in what is no answer',
    fix: 'Print what is for people on standard error, and write each message with its newline in one piece.',
  },
  envelope: {
    title: 'Every message says "jsonrpc": "2.0"',
    level: 'should',
    expected: '"jsonrpc": "2.0"',
    fix: 'Add it: other hosts may look at it.',
  },
  known: {
    title: 'Everything it asks and tells is something hosts know',
    level: 'must',
    expected: 'a method of the protocol reference, with an id exactly when it is a request',
    fix: 'Look the name up in the reference. Requests that nobody knows fail, and such notices are dropped.',
  },
  schema: {
    title: 'What it asks and tells has the fields it must have',
    level: 'must',
    expected: 'params as in the protocol reference',
    fix: 'Correct the field that is named.',
  },
  registrations: {
    title: 'Every registration has the fields it must have',
    level: 'must',
    expected: 'params as in the protocol reference, and no empty name',
    fix: 'Correct the field that is named: such a registration is ignored.',
  },
  'in-time': {
    title: 'Nothing is registered after the answer to `initialize`',
    level: 'must',
    expected: 'every registration before the answer to `initialize`',
    fix: 'Register first, then answer: what comes later is ignored.',
  },
  permissions: {
    title: 'What it asks for is among the permissions that its manifest lists',
    level: 'must',
    expected: 'nothing beyond `permissions`',
    fix: 'Add the permission to the manifest, or do without.',
  },
  answers: {
    title: 'Answers have the fields they must have',
    level: 'must',
    expected: 'a result as in the protocol reference',
    fix: 'Correct the field that is named: such an answer counts as an error.',
  },
  'one-answer': {
    title: 'Every request is answered once, under its own id',
    level: 'must',
    expected: 'one answer per request, with its id',
    fix: 'Keep the id of a request until it is answered, and answer once.',
  },
  length: {
    title: 'No line is 4 MiB or longer',
    level: 'must',
    expected: 'lines below 4 MiB',
    fix: 'Cut long texts and images: other hosts stop reading at such a line for good.',
  },
  'one-way': {
    title: 'It talks on one way only',
    level: 'must',
    expected: 'messages on one way: descriptors 3 and 4 when PIGLET_FD=1, else standard input and output',
    fix: 'Answer where you were asked. A host that offers both ways listens where the first message came.',
  },
}

export const messageRules: Rule[] = (Object.keys(table) as WireFault[]).map((fault) => {
  const { title, level, expected, fix } = table[fault]
  return {
    id: `messages/${fault}`,
    title,
    level,
    run: async ({ log }) => {
      const [first, ...more] = log.find(fault)
      hold(first === undefined, { expected, received: `${first}${more.length === 0 ? '' : ` (and ${more.length} more)`}`, fix })
    },
  }
})
