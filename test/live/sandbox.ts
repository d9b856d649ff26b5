// Runs agents with the loopback interface as their only network, in a process tree that ends as a whole.
import { runLimited } from '../../src/std/limited-process.ts'

type Env = Record<string, string | undefined>

const isolated = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc']
// A user who is not root can become root in a user namespace, where the system allows that.
const ways = [
  ['unshare', ...isolated],
  ['unshare', '--map-root-user', ...isolated],
]

const loopbackUp = 'ip link set lo up && exec "$@"'

function inside(way: string[], argv: string[]): string[] {
  // A shell of its own stays the first process in there: the first one must not be the program, which would
  // then have to reap orphans.
  return [...way, 'sh', '-c', `(${loopbackUp})`, 'sh', ...argv]
}

export interface Sandbox {
  /** The command that runs a program in there. */
  wrap(argv: string[]): string[]
}

/** The first way that works here, found by trying. */
export async function findSandbox(env: Env): Promise<Sandbox | { problem: string }> {
  let problem = ''
  for (const way of ways) {
    const ran = await runLimited(inside(way, ['true']), {
      cwd: '/',
      env,
      timeoutMs: 10_000,
      maxBytes: 1 << 16,
    })
    if (ran.code === 0) return { wrap: (argv) => inside(way, argv) }
    problem = ran.startError ?? (ran.stderr.trim() || `it ended with ${ran.code ?? ran.signal}`)
  }
  return { problem }
}
