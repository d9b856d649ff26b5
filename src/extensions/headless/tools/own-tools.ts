// The tools that the program brings along.
import type { LocalTool } from '../../offer.ts'
import { bashTool } from './bash.ts'
import { editTool } from './edit.ts'
import { findTool } from './find.ts'
import { grepTool } from './grep.ts'
import { lsTool } from './ls.ts'
import { readTool } from './read.ts'
import type { ToolContext } from './tool-context.ts'
import { writeTool } from './write.ts'

export function ownTools(context: ToolContext): LocalTool[] {
  return [readTool, writeTool, editTool, bashTool, grepTool, findTool, lsTool].map((make) => make(context))
}
