import { parrot } from './extension.ts'

void parrot.run()
