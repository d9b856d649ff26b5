// `entire doctor`: the check-up itself, and what helps to find out more.
import { buildRouteMap } from '@stricli/core'
import type { Cli } from '../context.ts'
import { bundleCommand } from '../doctor/bundle-command.ts'
import { checkCommand, doctorManual } from '../doctor/check-command.ts'
import { logsCommand } from '../doctor/logs-command.ts'
import { traceCommand } from '../doctor/trace-command.ts'

const routes = { check: checkCommand, trace: traceCommand, logs: logsCommand, bundle: bundleCommand }

export const doctorCommands = buildRouteMap<keyof typeof routes, Cli>({
  routes,
  defaultCommand: 'check',
  docs: { brief: 'Find and mend what is wrong', fullDescription: doctorManual },
})
