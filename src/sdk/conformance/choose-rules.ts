// Some rules of many, by name or by the first part of their names, with everything they need.
interface Named {
  id: string
  needs?: string[]
}

/** `first`: the rule that all others depend on. */
export function chooseRules<Rule extends Named>(all: Rule[], only: string[] | undefined, first: string): Rule[] {
  if (only === undefined) return all
  const chosen = new Set([first])
  const choose = ({ id, needs = [] }: Named) => {
    chosen.add(id)
    for (const rule of all) if (needs.includes(rule.id)) choose(rule)
  }
  for (const rule of all) if (only.some((name) => rule.id === name || rule.id.startsWith(`${name}/`))) choose(rule)
  return all.filter(({ id }) => chosen.has(id))
}
