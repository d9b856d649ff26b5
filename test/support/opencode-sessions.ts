// Keeps sessions in files as OpenCode keeps them in its database: from the events of a captured run, or from
// an import.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Part {
  id: string
  messageID: string
}

interface Message {
  info: { id: string; [key: string]: unknown }
  parts: Part[]
}

export interface OpencodeSession {
  info: { id: string; parentID?: string; directory?: string; [key: string]: unknown }
  messages: Message[]
}

export function opencodeSessions(home: string) {
  const dir = join(home, '.local/share/opencode/sessions')
  const file = (id: string) => join(dir, `${id}.json`)

  function find(id: string): OpencodeSession | undefined {
    return existsSync(file(id)) ? JSON.parse(readFileSync(file(id), 'utf8')) : undefined
  }

  function put(session: OpencodeSession): void {
    mkdirSync(dir, { recursive: true })
    session.messages.sort((a, b) => (a.info.id < b.info.id ? -1 : 1))
    writeFileSync(file(session.info.id), JSON.stringify(session))
  }

  const children = (id: string) => all().filter(({ info }) => info.parentID === id)
  const all = () =>
    existsSync(dir) ? readdirSync(dir).map((name) => find(name.replace('.json', '')) as OpencodeSession) : []

  /** As events of the real one changed it. */
  function take(event: {
    type: string
    properties: { info: { id: string }; part: Part; sessionID?: string }
  }): void {
    const { info, part, sessionID = '' } = event.properties
    if (/^session\.(?:created|updated)$/.test(event.type)) put({ messages: [], ...find(info.id), info })
    const session = find(sessionID)
    if (session === undefined) return
    if (event.type === 'message.updated') {
      const known = session.messages.find((message) => message.info.id === info.id)
      if (known) known.info = info
      else session.messages.push({ info, parts: [] })
    }
    if (event.type === 'message.part.updated') {
      const parts = session.messages.find((message) => message.info.id === part.messageID)?.parts ?? []
      const at = parts.findIndex(({ id }) => id === part.id)
      parts.splice(at < 0 ? parts.length : at, at < 0 ? 0 : 1, part)
    }
    put(session)
  }

  /** Adds missing messages, and leaves existing ones as they are. */
  function importInto(session: OpencodeSession, directory: string): void {
    const there = find(session.info.id) ?? { info: { ...session.info, directory }, messages: [] }
    const known = new Set(there.messages.map(({ info }) => info.id))
    put({
      ...there,
      messages: [...there.messages, ...session.messages.filter(({ info }) => !known.has(info.id))],
    })
  }

  function remove(id: string): void {
    for (const child of children(id)) remove(child.info.id)
    rmSync(file(id))
  }

  return { find, put, all, children, take, importInto, remove }
}
