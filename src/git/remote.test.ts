import { expect, test } from 'bun:test'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempRepo } from '../../test/support/repo.ts'
import { given } from '../std/given.ts'
import { run } from '../std/process.ts'
import { fetchRefs } from './remote.ts'

/** A repository whose ssh runs the script, after it has noted its process id and group. */
async function repoWithSsh(script: string) {
  const temp = await tempRepo()
  const [ssh, notes] = [join(temp.base, 'ssh'), join(temp.base, 'notes')]
  writeFileSync(ssh, `#!/bin/sh\nps -o pid=,pgid= -p $$ > '${notes}'\n${script}\n`)
  chmodSync(ssh, 0o755)
  const repo = { ...temp.repo, env: { ...temp.repo.env, GIT_SSH: ssh, GIT_SSH_VARIANT: 'simple' } }
  const processIds = () => readFileSync(notes, 'utf8').trim().split(/\s+/).map(Number)
  return { ...temp, repo, processIds }
}

const fetchOne = (repo: Parameters<typeof fetchRefs>[0], timeoutMs?: number) =>
  fetchRefs(repo, 'ssh://me:password@nowhere.invalid/repo', ['refs/heads/main:refs/fetched'], {
    mayAsk: false,
    ...given({ timeoutMs }),
  })

test('a silent remote is given up after the time limit, even when its ssh stays', async () => {
  await using temp = await repoWithSsh(`trap '' TERM; exec sleep 60`)
  expect(await fetchOne(temp.repo, 500)).toEqual({ kind: 'failed', why: 'no answer within 0.5 s' })
  process.kill(temp.processIds()[0] as number, 'SIGKILL')
})

test('ssh stays in the process group of the program, so that it can ask at the terminal', async () => {
  await using temp = await repoWithSsh('exit 255')
  await fetchOne(temp.repo)
  const own = await run(['ps', '-o', 'pgid=', '-p', String(process.pid)], {
    cwd: temp.base,
    env: process.env,
  })
  expect(temp.processIds()[1]).toBe(Number(own.stdout.toString()))
})

test('a refusal is a failure, and its reason does not reveal the password', async () => {
  await using temp = await repoWithSsh(
    'echo "fatal: no entry at ssh://me:password@nowhere.invalid/repo" >&2; exit 128',
  )
  const result = await fetchOne(temp.repo)
  expect(result).toMatchObject({ kind: 'failed', why: expect.stringContaining('fatal: ') })
  expect(JSON.stringify(result)).not.toContain('password')
})
