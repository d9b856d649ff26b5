// Reads the counts out of the summary of `bun test`. What cannot be read is a failure, never a silent pass.
export interface Verdict {
  passed: number
  failed: number
}

export function readVerdict(output: string, ok: boolean): Verdict {
  const plain = Bun.stripANSI(output)
  const count = (what: string) => Number(plain.match(new RegExp(`^ *(\\d+) ${what}$`, 'm'))?.[1] ?? 0)
  const ran = /^Ran \d+ tests? across/m.test(plain)
  const failed = count('fail') + count('errors?')
  const passed = count('pass')
  // A run that died, or that failed without saying so, counts as one failure.
  return { passed, failed: failed === 0 && (!ok || !ran) ? 1 : failed }
}

export function addVerdicts(verdicts: Verdict[]): Verdict {
  return verdicts.reduce(
    (sum, one) => ({ passed: sum.passed + one.passed, failed: sum.failed + one.failed }),
    { passed: 0, failed: 0 },
  )
}
