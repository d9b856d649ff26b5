import { expect, test } from 'bun:test'
import { EntireError } from '../../std/errors.ts'
import { type CheckOptions, type ConformanceRules, isConformant, tryRules } from './engine.ts'
import { type ConformanceRule, hold, type RuleResult } from './rule.ts'

type Rule = ConformanceRule<object, string>

const failure = { expected: 'a', received: 'b', fix: 'c' }
const passes = async () => {}
const breaks = async () => hold(false, failure)

function rule(id: string, run: Rule['run'] = passes, more: Partial<Rule> = {}): Rule {
  return { id, title: `${id} holds`, level: 'must', run, ...more }
}

const check = (
  rules: Rule[],
  options: CheckOptions<unknown, unknown> = {},
  more: Partial<ConformanceRules<object, string>> = {},
) =>
  tryRules<object, string>(
    { rules, firstRule: 'first', whyNotApplicable: () => undefined, openTrial: () => ({}), ...more },
    options,
  )

const outcomes = (results: RuleResult[]) =>
  results.map(({ id, status, reason }) => `${id} ${status}${reason === undefined ? '' : ` (${reason})`}`)

test('a broken rule fails or warns by its level, and only failures count', async () => {
  const results = await check([rule('first'), rule('a', breaks), rule('b', breaks, { level: 'should' })])
  expect(outcomes(results)).toEqual(['first passed', 'a failed', 'b warned'])
  expect(results[1]?.failure).toEqual(failure)
  expect(isConformant(results)).toBe(false)
  expect(isConformant([results[0]!, results[2]!])).toBe(true)
})

test('a rule is skipped without what it needs or requires, or when it says so itself', async () => {
  const rules = [
    rule('first'),
    rule('broken', breaks),
    rule('needy', passes, { needs: ['broken'] }),
    rule('special', passes, { requires: 'wings' }),
    rule('costly', async () => 'it may cost money'),
  ]
  const whyNotApplicable = (requirement: string) => `it has no ${requirement}`
  expect(outcomes(await check(rules, {}, { whyNotApplicable }))).toEqual([
    'first passed',
    'broken failed',
    'needy skipped (needs broken)',
    'special skipped (it has no wings)',
    'costly skipped (it may cost money)',
  ])
})

test('when the first rule is broken, only those before it and the last ones are tried', async () => {
  const rules = [rule('early'), rule('first', breaks), rule('later'), rule('last', passes, { isLast: true })]
  expect(outcomes(await check(rules))).toEqual([
    'early passed',
    'first failed',
    'later skipped (needs first)',
    'last passed',
  ])
})

test('`only` takes ids and groups, with the first rule and the rules they need', async () => {
  const rules = ['first', 'a/one', 'a/two', 'ab/one', 'b/one'].map((id) => rule(id))
  rules.push(rule('c', passes, { needs: ['b/one'] }), rule('d'))
  const ids = async (only: string[]) => (await check(rules, { only })).map(({ id }) => id)
  expect(await ids(['a'])).toEqual(['first', 'a/one', 'a/two'])
  expect(await ids(['c', 'a/two'])).toEqual(['first', 'a/two', 'b/one', 'c'])
})

test('four rules run at a time, the last ones after all others, and results come in order', async () => {
  let running = 0
  let most = 0
  let ended = 0
  const slow = async () => {
    running += 1
    most = Math.max(most, running)
    await Bun.sleep(5)
    running -= 1
    ended += 1
  }
  const seen: string[] = []
  const names = Array.from({ length: 9 }, (_, at) => `rule-${at}`)
  const last = rule('last', async () => hold(ended === 10, failure), { isLast: true })
  const rules = [rule('first', slow), ...names.map((name) => rule(name, slow)), last]
  const results = await check(rules, { onResult: ({ id }) => void seen.push(id) })
  expect(most).toBe(4)
  expect(results.at(-1)?.status).toBe('passed')
  expect(seen).toEqual(['first', ...names, 'last'])
})

test('every trial is closed, and a rule that cannot be tried ends the check after the others', async () => {
  let open = 0
  let ended = 0
  const rules = [
    rule('first'),
    rule('bug', async () => {
      throw new TypeError('oops')
    }),
    rule('slow', async () => {
      await Bun.sleep(20)
      ended += 1
    }),
    rule('broken', breaks),
  ]
  const trials = {
    openTrial: () => {
      open += 1
      return {}
    },
    closeTrial: async () => {
      open -= 1
    },
  }
  await expect(check(rules, {}, trials)).rejects.toThrow('The rule bug could not be tried: oops')
  expect([open, ended]).toEqual([0, 1])
  const unusable = rule('unusable', async () => {
    throw new EntireError('not-found', 'sample not found: a.jsonl')
  })
  await expect(check([rule('first'), unusable], {}, trials)).rejects.toThrow('sample not found: a.jsonl')
})
