// Reads git's input to the pre-push hook: the refs that the user pushes.

/** One line of the input. */
export interface PushedRef {
  /** `(delete)` for a ref that is removed. */
  local: string
  oid: string
  remote: string
  /** Where the remote has it; only zeros where it does not. */
  remoteOid: string
}

export function parsePushed(input: string): PushedRef[] {
  return input
    .split('\n')
    .map((line) => line.split(' '))
    .filter((words) => words.length === 4)
    .map(([local = '', oid = '', remote = '', remoteOid = '']) => ({ local, oid, remote, remoteOid }))
}

export function isNoObject(oid: string): boolean {
  return /^0+$/.test(oid)
}
