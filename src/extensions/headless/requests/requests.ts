// Questions of extensions, as the program answers them.
import type { ExtensionApp } from '../../app.ts'

export type Requests = ExtensionApp['requests']
