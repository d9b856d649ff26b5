// Defines the failure that a plugin reports to its caller on standard error, without a stack.

export class PluginError extends Error {
  override readonly name = 'PluginError'
}
