// Names the refs, and the paths inside the trees, of steps and checkpoints.

export const metadataRef = 'refs/heads/entire/checkpoints/v1'
export const metadataBranch = 'entire/checkpoints/v1'

/** Links of commits made without the commit hook: notes whose text is the trailer line. */
export const notesRef = 'refs/notes/entire-checkpoints'

const shadowPattern = /^refs\/heads\/entire\/[0-9a-fA-F]{7,}(?:-[0-9a-fA-F]{6})?$/

export function shadowRef(baseCommit: string, worktreeId: string): string {
  return `refs/heads/entire/${baseCommit.slice(0, 7)}-${worktreeHash(worktreeId)}`
}

/** The name used by versions before 0.4, which knew only one work tree. */
export function oldShadowRef(baseCommit: string): string {
  return `refs/heads/entire/${baseCommit.slice(0, 7)}`
}

/** Tells the work trees of a repository apart in the names of refs. */
export function worktreeHash(worktreeId: string): string {
  return new Bun.CryptoHasher('sha256').update(worktreeId).digest('hex').slice(0, 6)
}

export function isShadowRef(ref: string): boolean {
  return shadowPattern.test(ref) && ref !== metadataRef
}

export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '')
}

/** The ref that holds a checkpoint: the metadata branch, or for ULIDs a ref of its own. */
export function checkpointRef(id: string): string {
  return isUlid(id) ? `refs/entire/checkpoints/${id.slice(-2)}/${id}` : metadataRef
}

/** The directory of a checkpoint in the tree of its ref; the root in a ref of its own. */
export function checkpointDir(id: string): string {
  return isUlid(id) ? '' : `${id.slice(0, 2)}/${id.slice(2)}`
}

function isUlid(id: string): boolean {
  return id.length === 26
}

export function inDir(dir: string, name: string): string {
  return dir === '' ? name : `${dir}/${name}`
}

export function sessionPaths(dir: string, slot: number) {
  const at = inDir(dir, String(slot))
  return {
    dir: at,
    metadata: `${at}/metadata.json`,
    transcript: `${at}/full.jsonl`,
    contentHash: `${at}/${hashName}`,
    prompt: `${at}/prompt.txt`,
    context: `${at}/context.md`,
  }
}

/** The directory of a session's metadata, in the work tree and in its steps. */
export function sessionDir(session: string): string {
  return `.entire/metadata/${session}`
}

export function taskDir(session: string, toolUse: string): string {
  return `${sessionDir(session)}/tasks/${toolUse}`
}

export const transcriptName = 'full.jsonl'
export const hashName = 'content_hash.txt'

export function formatHash(digest: string): string {
  return `sha256:${digest}`
}

export function parseHash(text: string): string | undefined {
  return /^sha256:([0-9a-f]{64})\s*$/.exec(text)?.[1]
}

/** `full.jsonl`, `full.jsonl.001`, … */
export function chunkName(index: number, base = transcriptName): string {
  return index === 0 ? base : `${base}.${String(index).padStart(3, '0')}`
}

// Aider keeps its logs among the user's files. They grow with every word and are not work of a session.
const aiderLogs = /^\.aider\.(?:(?:chat|input|llm)\.history|tags\.cache)/

export function isInfrastructure(path: string): boolean {
  return path === '.entire' || path.startsWith('.entire/') || aiderLogs.test(path)
}
