// Makes an executable of a plugin written in TypeScript, as its author would: one file that Node or Bun runs.
import { chmodSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export async function buildPlugin(
  entry: string,
  dir: string,
  runtime: 'node' | 'bun' | 'deno' = 'node',
): Promise<string> {
  // A file without an ending is CommonJS to Node, and a module to Deno.
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'node',
    format: runtime === 'deno' ? 'esm' : 'cjs',
  })
  if (!built.success) throw new AggregateError(built.logs, `${entry} does not build`)
  const code = (await built.outputs[0]?.text()) ?? ''
  const path = join(dir, basename(entry, '.ts'))
  const programs = {
    node: Bun.which('node'),
    bun: process.execPath,
    deno: `/usr/bin/env -S ${Bun.which('deno')} run -A`,
  }
  writeFileSync(path, `#!${programs[runtime]}\n${code}`)
  chmodSync(path, 0o755)
  return path
}
