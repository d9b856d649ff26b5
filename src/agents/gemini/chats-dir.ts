// Which of Gemini CLI's directories is a project's: the one it noted, else the one it would choose at its next start.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { Env } from '../../model/agent.ts'
import { exists, readText } from '../../std/file.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'

const owner = '.project_root'

export function findChatsDir(root: string, env: Env): string {
  const home = join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini')
  const known = asObject(asObject(parseJson(readText(join(home, 'projects.json')) ?? ''))?.projects) ?? {}
  const tmp = join(home, 'tmp')
  return join(tmp, findNoted(tmp, known, root) ?? findOwned(tmp, root) ?? findOlder(tmp, root) ?? chooseName(tmp, known, root), 'chats')
}

/** As the agent does when it takes a directory: from then on it is the project's, whoever else has a project of that name. */
export function claimChatsDir(dir: string, root: string): void {
  if (basename(dir) !== 'chats' || basename(dirname(dirname(dir))) !== 'tmp') return
  try {
    mkdirSync(dirname(dir), { recursive: true, mode: 0o700 })
    writeFileSync(join(dirname(dir), owner), root, { flag: 'wx' })
  } catch {
    // Taken already; and whatever else is wrong with the directory, writing the session tells.
  }
}

function findNoted(tmp: string, known: JsonObject, root: string): string | undefined {
  const name = text(known[root])
  return name !== undefined && isPlain(name) && isFree(tmp, name, root) ? name : undefined
}

function findOwned(tmp: string, root: string): string | undefined {
  return exists(tmp) ? readdirSync(tmp).find((name) => ownerOf(tmp, name) === root) : undefined
}

// Versions before the one with names used a hash of the path.
function findOlder(tmp: string, root: string): string | undefined {
  const hash = new Bun.CryptoHasher('sha256').update(root).digest('hex')
  return exists(join(tmp, hash, 'chats')) ? hash : undefined
}

function chooseName(tmp: string, known: JsonObject, root: string): string {
  const taken = new Set(Object.values(known))
  const slug = slugOf(root)
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? slug : `${slug}-${number}`
    if (!taken.has(name) && isFree(tmp, name, root)) return name
  }
}

function isFree(tmp: string, name: string, root: string): boolean {
  const owned = ownerOf(tmp, name)
  return owned === undefined || owned === root
}

function ownerOf(tmp: string, name: string): string | undefined {
  const path = readText(join(tmp, name, owner))?.trim()
  return path === undefined ? undefined : resolve(path)
}

function isPlain(name: string): boolean {
  return !/[/\\]/.test(name) && name !== '.' && name !== '..'
}

function slugOf(root: string): string {
  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug || 'project'
}
