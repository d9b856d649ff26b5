// Prints the tour: headings, explanations, commands and their output.

export interface Narrator {
  /** Begins a new step of the tour. */
  step(title: string, text: string): Promise<void>
  command(line: string): void
  output(text: string, options?: { lines?: number }): void
  say(text: string): void
}

interface Terminal {
  isTTY: boolean
  write(text: string): unknown
}

export function narrateTo(terminal: Terminal): Narrator {
  const style = (code: number, text: string) => (terminal.isTTY ? `\x1b[${code}m${text}\x1b[0m` : text)
  const print = (text: string) => terminal.write(`${text}\n`)
  let steps = 0
  return {
    async step(title, text) {
      // Gives a person time to read the previous step.
      if (terminal.isTTY && steps > 0) await Bun.sleep(2_500)
      steps += 1
      print(`\n${style(1, `${steps}. ${title}`)}\n${text}`)
    },
    command: (line) => print(style(36, `\n   $ ${line}`)),
    output(text, { lines = 12 } = {}) {
      const all = text.trimEnd().split('\n')
      const shown = all.length > lines ? [...all.slice(0, lines), `… ${all.length - lines} more lines`] : all
      for (const line of shown)
        print(style(2, `   ${line.length > 110 ? `${line.slice(0, 109)}…` : line}`.trimEnd()))
    },
    say: (text) => print(`\n${text}`),
  }
}
