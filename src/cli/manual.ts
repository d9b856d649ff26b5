// Long help in one shape: what it does, then examples.
export interface Manual {
  text: string[]
  examples: [command: string, meaning: string][]
}

export function formatManual({ text, examples }: Manual): string {
  const width = Math.max(...examples.map(([command]) => command.length))
  const lines = examples.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`)
  return [...text, '', 'EXAMPLES', ...lines].join('\n')
}
