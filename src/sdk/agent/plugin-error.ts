// A failure that the caller can understand: its message goes to standard error, without a stack.

export class PluginError extends Error {
  override readonly name = 'PluginError'
}
