// Where rules may begin to match: column by column, because lists of plain values are all that costs nothing to load.
export interface Keywords {
  texts: readonly string[]
  /** The rule of each. */
  rules: readonly number[]
  /** Whether case counts. */
  exact: readonly boolean[]
  /** Whether a letter in front makes it another word. */
  bounded: readonly boolean[]
  /** How far in front of it the match begins. */
  leads: readonly number[]
}

/** A keyword that belongs to no rule only says: look at this JSON text value by value. */
export const noRule = -1
