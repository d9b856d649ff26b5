// The executable `entire-agent-qwen`.
import { qwen } from './plugin.ts'

void qwen.run()
