// Matches the expressions of the settings, which anybody who commits to a project can write, with a limit on
// the number of steps. It remembers which state failed at which place, so that almost no expression needs
// many; the engine of JavaScript remembers nothing and cannot be interrupted.

import { type Node, parsePattern } from './pattern-syntax.ts'

export interface LimitedPattern {
  /** The matches from left to right; undefined when the text would take too many steps. */
  find(text: string, pool?: StepPool): [start: number, end: number][] | undefined
}

/** The steps that all expressions of a run may take together beyond what usual expressions take. */
export interface StepPool {
  left: number
  /** What an expression may take for each character without taking from the pool. */
  perCharacter: number
}

const usualSteps = 20
/** With more expressions than this, each may take less. */
const usualExpressions = 10
/** About a second. */
const stepsOfPool = 50_000_000

export function openPool(expressions: number): StepPool {
  const perCharacter = usualSteps * Math.min(1, usualExpressions / Math.max(1, expressions))
  return { left: stepsOfPool, perCharacter }
}

type Instruction =
  | { op: 'one'; test: (code: number) => boolean }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'assert'; test: (text: string, at: number) => boolean }
  | { op: 'look'; end: number; ahead: boolean; negative: boolean; width: number }
  | { op: 'match' }

const mostInstructions = 5000
/** Per character of a text. Usual expressions take two to twenty. */
const stepsPerCharacter = 500

/** Throws a SyntaxError for what is not an expression, and for what this engine cannot match in time. */
export function compilePattern(source: string, ignoreCase: boolean): LimitedPattern {
  const program: Instruction[] = []
  emit(parsePattern(source, ignoreCase), program)
  program.push({ op: 'match' })
  const first = firstCharacters(program)
  return {
    find: (text, pool = openPool(1)) => {
      const run = new Run(program, text, pool)
      const found = run.findAll(first)
      run.settle(pool)
      return found
    },
  }
}

class Run {
  readonly #failed: Uint8Array
  readonly #places: number
  readonly #free: number
  readonly #allowed: number
  #steps: number

  constructor(
    readonly program: readonly Instruction[],
    readonly text: string,
    pool: StepPool,
  ) {
    this.#places = text.length + 1
    this.#failed = new Uint8Array(Math.ceil((program.length * this.#places) / 8))
    this.#free = pool.perCharacter * (text.length + 16)
    this.#allowed = Math.min(stepsPerCharacter * (text.length + 16), this.#free + pool.left)
    this.#steps = this.#allowed
  }

  /** Takes from the pool what was more than usual. */
  settle(pool: StepPool): void {
    pool.left = Math.max(0, pool.left - Math.max(0, this.#allowed - this.#steps - this.#free))
  }

  findAll(canStart: (code: number) => boolean): [number, number][] | undefined {
    const found: [number, number][] = []
    for (let at = 0; at < this.text.length; ) {
      if (!canStart(this.text.charCodeAt(at))) {
        at += 1
        continue
      }
      const end = this.#match(0, at)
      if (this.#steps < 0) return undefined
      if (end !== undefined && end > at) found.push([at, end])
      at = end !== undefined && end > at ? end : at + 1
    }
    return found
  }

  /**
   * The end of the preferred match from here. A state that was tried at a place and did not lead to the match
   * never does, wherever the match began: matches have no memory.
   */
  #match(start: number, from: number): number | undefined {
    const stack: number[] = [start, from]
    const tried: number[] = []
    while (stack.length > 0) {
      let at = stack.pop() as number
      let counter = stack.pop() as number
      for (;;) {
        this.#steps -= 1
        if (this.#steps < 0) return undefined
        const key = counter * this.#places + at
        if (this.#hasFailed(key)) break
        this.#mark(key)
        tried.push(key)
        const instruction = this.program[counter] as Instruction
        if (instruction.op === 'match') {
          // Some of these are on the way to the match.
          for (const each of tried) this.#unmark(each)
          return at
        }
        if (instruction.op === 'one') {
          if (at >= this.text.length || !instruction.test(this.text.charCodeAt(at))) break
          at += 1
          counter += 1
        } else if (instruction.op === 'assert') {
          if (!instruction.test(this.text, at)) break
          counter += 1
        } else if (instruction.op === 'jump') counter = instruction.to
        else if (instruction.op === 'split') {
          stack.push(instruction.second, at)
          counter = instruction.first
        } else {
          if (this.#looks(counter + 1, at, instruction) === instruction.negative) break
          counter = instruction.end
        }
      }
    }
    return undefined
  }

  #looks(start: number, at: number, { ahead, width }: { ahead: boolean; width: number }): boolean {
    if (ahead) return this.#match(start, at) !== undefined
    return at >= width && this.#match(start, at - width) === at
  }

  #hasFailed(key: number): boolean {
    return ((this.#failed[key >> 3] as number) & (1 << (key & 7))) !== 0
  }

  #mark(key: number): void {
    this.#failed[key >> 3] = (this.#failed[key >> 3] as number) | (1 << (key & 7))
  }

  #unmark(key: number): void {
    this.#failed[key >> 3] = (this.#failed[key >> 3] as number) & ~(1 << (key & 7))
  }
}

function emit(node: Node, program: Instruction[]): void {
  if (program.length > mostInstructions)
    throw new SyntaxError('it is too large once its repeats are written out')
  if (node.kind === 'one') program.push({ op: 'one', test: node.test })
  else if (node.kind === 'assert') program.push({ op: 'assert', test: node.test })
  else if (node.kind === 'sequence') for (const part of node.parts) emit(part, program)
  else if (node.kind === 'choice') emitChoice(node.parts, program)
  else if (node.kind === 'look') {
    const look = {
      op: 'look' as const,
      end: 0,
      ahead: node.ahead,
      negative: node.negative,
      width: node.width,
    }
    program.push(look)
    emit(node.inner, program)
    program.push({ op: 'match' })
    look.end = program.length
  } else emitRepeat(node, program)
}

function emitChoice(parts: Node[], program: Instruction[]): void {
  const jumps: { op: 'jump'; to: number }[] = []
  for (const [index, part] of parts.entries()) {
    const split = { op: 'split' as const, first: 0, second: 0 }
    if (index < parts.length - 1) program.push(split)
    split.first = program.length
    emit(part, program)
    if (index < parts.length - 1) {
      const jump = { op: 'jump' as const, to: 0 }
      jumps.push(jump)
      program.push(jump)
    }
    split.second = program.length
  }
  for (const jump of jumps) jump.to = program.length
}

function emitRepeat(node: Extract<Node, { kind: 'repeat' }>, program: Instruction[]): void {
  for (let count = 0; count < node.least; count += 1) emit(node.inner, program)
  const order = (inside: number, behind: number) =>
    node.lazy ? { first: behind, second: inside } : { first: inside, second: behind }
  if (node.most === undefined) {
    const at = program.length
    const split: Instruction = { op: 'split', first: 0, second: 0 }
    program.push(split)
    emit(node.inner, program)
    program.push({ op: 'jump', to: at })
    Object.assign(split, order(at + 1, program.length))
    return
  }
  const splits: { at: number; split: Instruction }[] = []
  for (let count = node.least; count < node.most; count += 1) {
    const split: Instruction = { op: 'split', first: 0, second: 0 }
    splits.push({ at: program.length, split })
    program.push(split)
    emit(node.inner, program)
  }
  for (const { at, split } of splits) Object.assign(split, order(at + 1, program.length))
}

/** Which characters a match can begin with: most places of a text need no try. */
function firstCharacters(program: readonly Instruction[]): (code: number) => boolean {
  const tests: ((code: number) => boolean)[] = []
  const seen = new Set<number>()
  const visit = (counter: number): boolean => {
    if (seen.has(counter)) return true
    seen.add(counter)
    const instruction = program[counter] as Instruction
    if (instruction.op === 'match') return false
    if (instruction.op === 'one') tests.push(instruction.test)
    else if (instruction.op === 'assert') return visit(counter + 1)
    else if (instruction.op === 'look') return visit(instruction.end)
    else if (instruction.op === 'jump') return visit(instruction.to)
    else return visit(instruction.first) && visit(instruction.second)
    return true
  }
  if (!visit(0)) return () => true
  const known = Array.from({ length: 128 }, (_, code) => tests.some((test) => test(code)))
  return (code) => known[code] ?? tests.some((test) => test(code))
}
