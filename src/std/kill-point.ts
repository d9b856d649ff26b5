// Lets the fault tests kill the process at its n-th write, to prove that no half-written state is fatal.

let writes = 0

export function writePoint(): void {
  const at = process.env.ENTIRE_TEST_KILL_AT_WRITE
  if (at === undefined) return
  writes += 1
  if (writes === Number(at)) process.kill(process.pid, 'SIGKILL')
}
