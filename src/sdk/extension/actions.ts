// Builds the actions with which a handler of an event or a key may answer.

import type { ActionResult } from '../../protocol/extension/content.ts'

export type NoticeLevel = 'info' | 'warn' | 'error'

export const actions = {
  notify: (message: string, level: NoticeLevel = 'info') => action('notify', { message, level }),
  showMessage: (text: string) => action('showMessage', { text }),
  setSessionTitle: (title: string) => action('setSessionTitle', { title }),
  setStatus: (key: string, text: string) => action('setStatus', { key, text }),
  /** `data` in base64. */
  attachImage: (data: string, mimeType: string) => action('attachImage', { data, mimeType }),
  detachImage: () => action('detachImage'),
  sendMessage: (content: string) => action('sendMessage', { content }),
  quit: () => action('quit'),
}

function action(type: string, payload?: Record<string, string>): ActionResult {
  return payload === undefined ? { type } : { type, payload }
}
