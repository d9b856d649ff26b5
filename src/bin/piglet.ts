#!/usr/bin/env bun
// From arguments to one function.

const { runPiglet } = await import('../cli/piglet/app.ts')
process.exitCode = await runPiglet(process.argv.slice(2))

export {}
