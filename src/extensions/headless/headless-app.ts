// The program as extensions see it.
import { messageOf } from '../../std/errors.ts'
import type { Action } from '../action.ts'
import type { ExtensionApp } from '../app.ts'
import type { MainAgent } from './agent/main-agent.ts'
import type { StepMode } from './agent/step-mode.ts'
import { agentRequests } from './requests/agent-requests.ts'
import { sessionRequests } from './requests/session-requests.ts'
import { settingsRequests } from './requests/settings-requests.ts'
import type { Services } from './services.ts'

export interface HeadlessAppOptions {
  services: Services
  agent: MainAgent
  stepMode: StepMode
  /** As if the user had typed it. */
  say(text: string): void
}

export function createHeadlessApp({ services, agent, stepMode, say }: HeadlessAppOptions): ExtensionApp {
  const { options, screen, current, trust, dialogs } = services
  const refused = new Set<string>()
  const session = sessionRequests(services)

  function setTitle(title: string): void {
    screen.setTitle(title)
    current
      .session()
      .change({ title })
      .catch((error) => options.log('warn', messageOf(error)))
  }

  const actions: { [Type in Action['type']]: (action: Extract<Action, { type: Type }>, extension: string) => void } = {
    notify: ({ message, level }, extension) => screen.notify(message, level, extension),
    showMessage: ({ text }, extension) => screen.show(text, extension),
    setSessionTitle: ({ title }) => setTitle(title),
    quit: () => screen.quit(),
    setStatus: ({ key, text }) => screen.setStatus(key, text),
    attachImage: ({ data, mimeType }) => screen.attachImage({ type: 'image', data, mimeType }),
    detachImage: () => screen.detachImage(),
    sendMessage: ({ content }) => say(content),
  }

  return {
    cwd: options.cwd,
    configDir: options.configDir,
    sessionId: () => current.session().meta().id,
    requests: { ...session, ...settingsRequests(services), ...agentRequests(services, agent, stepMode) },
    notices: {
      notify: ({ message, level }, { extension }) => screen.notify(message, level, extension.name),
      showMessage: ({ text }, { extension }) => screen.show(text, extension.name),
      setWidget: ({ key, placement, content }, { extension }) => screen.setWidget({ key, placement, content, extension: extension.name }),
      showOverlay: ({ key, title, content, anchor, width }, { extension }) =>
        screen.showOverlay({ key, title, content, anchor, width, extension: extension.name }),
      closeOverlay: ({ key }, { extension }) => screen.closeOverlay(key, extension.name),
      setInputText: ({ text }) => screen.setInputText(text),
      sendMessage: ({ content }) => say(content),
      steer: ({ content }) => agent.steer(content),
      abort: () => agent.abort(),
      abortWithMarker: ({ reason }) => agent.abort(reason),
    },
    act: (action, extension) => (actions[action.type] as (action: Action, extension: string) => void)(action, extension),
    announce: (level, message) => screen.notify(message, level),
    log: options.log,
    async approve(extension, what) {
      if (trust.allows(extension, what)) return true
      if (!dialogs.canAsk || refused.has(`${extension} ${what}`)) return false
      const prompt = `Let the extension ${extension} have ${what}?`
      const chosen = await dialogs.put({ kind: 'ask', prompt, choices: ['Always', 'No'], extension: '' }, new AbortController().signal)
      if (chosen === 'Always') trust.grant(extension, [what])
      else refused.add(`${extension} ${what}`)
      return chosen === 'Always'
    },
  }
}
