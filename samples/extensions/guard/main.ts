import { guard } from './extension.ts'

void guard.run()
