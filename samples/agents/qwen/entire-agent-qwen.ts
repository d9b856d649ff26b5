// Runs the plugin of Qwen Code: the executable `entire-agent-qwen`.
import { qwen } from './plugin.ts'

void qwen.run()
