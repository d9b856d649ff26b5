// Hooks that are installed and yet do not run: some agents ask their user for leave first, and say nothing of it afterwards.
import { findInstalledAgents } from '../setup.ts'
import type { Examination } from './examination.ts'
import type { Finding } from './finding.ts'
import { isRecording } from './hook-checks.ts'

export async function checkObstacles(exam: Examination): Promise<Finding[]> {
  if (!isRecording(exam)) return []
  const installed = await findInstalledAgents(exam.repo)
  const found = await Promise.all(
    installed.map(async (agent): Promise<Finding[]> => {
      const obstacle = await agent.findObstacle?.(exam.repo.root, exam.cli.env)
      if (obstacle === undefined) return []
      return [
        {
          id: 'agent-hooks-held-back',
          subject: agent.name,
          severity: 'warning',
          title: obstacle.message,
          detail: [],
          fix: obstacle.fix,
          remedies: [],
        },
      ]
    }),
  )
  return found.flat()
}
