// Lists the tools that piglet itself offers to models.

import type { LocalTool } from '../../extensions/registry.ts'
import { bashTool } from './bash.ts'
import { editTool, writeTool } from './change-files.ts'
import { grepTool } from './grep.ts'
import { findTool, lsTool, readTool } from './look-at-files.ts'
import type { ToolContext } from './tool-context.ts'

export function ownTools(context: ToolContext): LocalTool[] {
  return [readTool, writeTool, editTool, bashTool, grepTool, findTool, lsTool].map((make) => make(context))
}
