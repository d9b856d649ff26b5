// Runs the plugin of the demo agent: the executable `entire-agent-demo`.
import { demo } from './plugin.ts'

void demo.run()
