// What the user says while a run lasts: prompts reach it as soon as a tool has ended, commands come when it is over.
const limit = 50

export type InputQueue = ReturnType<typeof createInputQueue>

export function createInputQueue() {
  let prompts: string[] = []
  let commands: string[] = []
  let steering: string[] = []
  const takeAll = (list: string[], clear: () => void) => {
    clear()
    return list
  }
  const isFull = () => prompts.length + commands.length + steering.length >= limit
  const takePrompts = () =>
    takeAll(prompts, () => {
      prompts = []
    })
  return {
    /** False when there is no room left. */
    addPrompt: (text: string) => !isFull() && prompts.push(text) > 0,
    addCommand: (text: string) => !isFull() && commands.push(text) > 0,
    steer: (text: string) => !isFull() && steering.push(text) > 0,
    hasWords: () => prompts.length + steering.length > 0,
    /** For the run that lasts: what was meant for it, then everything else as one. */
    takeWords(): string[] {
      const meant = takeAll(steering, () => {
        steering = []
      })
      const rest = takePrompts().join('\n\n')
      return rest === '' ? meant : [...meant, rest]
    },
    takeCommands: () =>
      takeAll(commands, () => {
        commands = []
      }),
    size: () => prompts.length + commands.length + steering.length,
  }
}
