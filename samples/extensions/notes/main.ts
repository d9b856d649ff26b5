import { notes } from './extension.ts'

void notes.run()
