import { shortener } from './extension.ts'

void shortener.run()
