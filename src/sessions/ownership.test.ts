import { expect, test } from 'bun:test'
import type { Agent } from '../model/agent.ts'
import type { Session } from '../model/session.ts'
import { reporterOf } from './ownership.ts'

const lender = { name: 'lender', type: 'Lender' } as Agent
const borrower = {
  name: 'borrower',
  type: 'Borrower',
  borrowed: { from: 'lender', verbs: {}, isSender: () => true },
} as unknown as Agent
const stranger = { name: 'stranger', type: 'Stranger' } as Agent
const known = { agentCards: () => [lender, borrower, stranger] }

test.each([
  ['', lender, 'owner'],
  ['Agent', lender, 'owner'],
  ['Lender', lender, 'owner'],
  ['Borrower', borrower, 'owner'],
  ['Lender', borrower, 'successor'],
  ['Borrower', lender, 'stranger'],
  ['Lender', stranger, 'stranger'],
  ['Stranger', borrower, 'stranger'],
  ['Gone', borrower, 'stranger'],
] as const)('of a session of %j, %o: %s', (agentType, agent, reporter) => {
  expect(reporterOf(known, { agentType } as Session, agent)).toBe(reporter)
})
