// How patient a supervisor is.
export interface Times {
  restsMs: number[]
  /** Whoever ran so long is well: what went wrong before counts no more. */
  stableMs: number
  probeMs: number
  drainMs: number
  /** Whoever was late and does not answer within this time hangs. */
  graceMs: number
  /** So often one that is asked nothing is asked whether it is there. */
  pingMs: number
}

export const usualTimes: Times = {
  restsMs: [1000, 2000, 4000, 8000, 16000],
  stableMs: 30_000,
  probeMs: 60_000,
  drainMs: 10_000,
  graceMs: 5000,
  pingMs: 30_000,
}
