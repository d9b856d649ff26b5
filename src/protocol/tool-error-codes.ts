// Codes for errors of tools, so that programs and models can tell them apart.
export const toolErrorCodes = [
  'INVALID_ARGS',
  'FILE_NOT_FOUND',
  'FILE_STALE',
  'FILE_TOO_LARGE',
  'NOT_REGULAR_FILE',
  'PERMISSION_DENIED',
  'NOT_UNIQUE',
  'TIMEOUT',
  'EXIT_NONZERO',
  'IO_ERROR',
  'INTERNAL',
] as const

export type ToolErrorCode = (typeof toolErrorCodes)[number] | HostErrorCode

/** Those that only a host has reason to use. */
export type HostErrorCode = 'TOOL_INTERRUPTED' | 'TOOL_DISABLED'
