import { hello } from './extension.ts'

void hello.run()
