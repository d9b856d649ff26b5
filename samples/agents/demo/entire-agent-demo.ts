// The executable `entire-agent-demo`.
import { demo } from './plugin.ts'

void demo.run()
