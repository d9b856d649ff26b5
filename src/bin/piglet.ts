#!/usr/bin/env bun
// Starts `piglet`.

const { runPiglet } = await import('../cli/piglet/piglet.ts')
process.exitCode = await runPiglet(process.argv.slice(2))

export {}
