#!/usr/bin/env bun
// Starts `entire`. Hooks run many times a minute, so they are dispatched before anything else is loaded.

const args = process.argv.slice(2)
const isHook = args[0] === 'hooks' && args[1] !== undefined && !args[1].startsWith('-')

if (isHook) {
  const { runHook } = await import('../cli/hooks/run-hook.ts')
  // Exits at once: an agent may keep the input open, and helper processes end by themselves.
  process.exit(await runHook(args.slice(1)))
} else {
  const { runCli } = await import('../cli/entire.ts')
  process.exitCode = await runCli(args)
}

export {}
