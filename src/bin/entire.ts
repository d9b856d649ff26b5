#!/usr/bin/env bun
// From arguments to one function. Hooks run many times a minute, so their way is taken before anything heavy is loaded.

const args = process.argv.slice(2)
const isHook = args[0] === 'hooks' && args[1] !== undefined && !args[1].startsWith('-')

if (isHook) {
  const { runHook } = await import('../cli/hooks/hooks.ts')
  // At once: an agent may keep our input open, and helper processes end by themselves.
  process.exit(await runHook(args.slice(1)))
} else {
  const { runCli } = await import('../cli/app.ts')
  process.exitCode = await runCli(args)
}

export {}
