import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test('the tour runs to its end, shows what it announces, and leaves nothing behind', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'entire-test-'))
  try {
    const tour = Bun.spawn([process.execPath, 'scripts/tour.ts'], {
      env: { ...process.env, TMPDIR: temporary },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, failure] = await Promise.all([tour.stdout.text(), tour.stderr.text()])
    expect(failure).toBe('')
    expect(await tour.exited).toBe(0)
    expect(output).toContain('Entire-Checkpoint: ')
    expect(output).toContain('Agent: Demo Agent')
    expect(output).toContain('demo-agent --resume monday-1')
    expect(output).not.toContain('\x1b')
    expect(readdirSync(temporary)).toEqual([])
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
})
