// How the tour speaks: a heading, a sentence or two, the command, and what it really printed.
export interface Narrator {
  /** A new step of the story. */
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
      // Time to read the step before, for a person; a program need not wait.
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
