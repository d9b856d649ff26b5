// What somebody who watches is told.
import type { Session } from '../model/session.ts'

export type WatchNews =
  | { event: 'session'; session: string }
  | { event: 'turn-start'; session: string; prompt: string | undefined }
  /** `before`: the session when the turn began. */
  | { event: 'turn-end'; session: string; before: Session | undefined; after: Session }
  /** Hooks report this session. */
  | { event: 'reported'; session: string }
  | { event: 'commit'; session: string; commit: string }
  | { event: 'failed'; session: string | undefined; error: unknown }

export type WatchReport = (news: WatchNews) => void
