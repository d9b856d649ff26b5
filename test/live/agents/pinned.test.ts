import { expect, test } from 'bun:test'
import { liveAgents } from './index.ts'

test('the table of versions in the documentation is that of the live tests', async () => {
  const page = await Bun.file('docs/live-tests.md').text()
  for (const agent of liveAgents)
    expect(page).toContain(`| ${agent.type} | \`${agent.package}\` | ${agent.version} |\n`)
})
