// Test seam: the fault tests kill a process at its n-th write, for every n, to see that no half-written state is ever fatal.

let writes = 0

export function writePoint(): void {
  const at = process.env.ENTIRE_TEST_KILL_AT_WRITE
  if (at === undefined) return
  writes += 1
  if (writes === Number(at)) process.kill(process.pid, 'SIGKILL')
}
