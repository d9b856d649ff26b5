// Holds what piglet would show on a screen, as data, and puts questions to the user. Every change is
// reported to the embedding program.

import type { ImagePart } from './conversation/message.ts'

export type Level = 'info' | 'warn' | 'error'

export interface Notification {
  level: Level
  message: string
  /** The extension that shows it; empty for piglet itself. */
  extension: string
}

export interface Widget {
  key: string
  extension: string
  placement: 'above-input' | 'below-status'
  content: string
}

export interface Overlay {
  key: string
  extension: string
  title: string
  content: string
  anchor: string
  width: string
}

export interface View {
  /** Shown for a moment. */
  notifications: Notification[]
  /** Shown permanently. */
  messages: { text: string; extension: string }[]
  widgets: Widget[]
  /** The last one is on top. */
  overlays: Overlay[]
  status: Record<string, string>
  /** The content of the input field. */
  inputText: string
  /** Goes with the next prompt. */
  image: ImagePart | undefined
  title: string
  wantsToQuit: boolean
}

export type ViewPart = keyof View

const limits = { notifications: 100, messages: 1000, widgetLines: 5, widgets: 10 }
const levels: Level[] = ['info', 'warn', 'error']

/** The process that shows a widget or overlay, which disappears when the process ends. */
export type DisplayOwner = object

export class Screen {
  readonly #onChange: (part: ViewPart, view: View) => void
  readonly #view: View = {
    notifications: [],
    messages: [],
    widgets: [],
    overlays: [],
    status: {},
    inputText: '',
    image: undefined,
    title: '',
    wantsToQuit: false,
  }
  /** The owner of each widget and overlay. */
  readonly #owners = new WeakMap<object, DisplayOwner>()
  readonly #gone = new WeakSet<DisplayOwner>()
  /** The extension that set each status. */
  readonly #statusSetters = new Map<string, string>()

  constructor(onChange: (part: ViewPart, view: View) => void) {
    this.#onChange = onChange
  }

  view(): Readonly<View> {
    return this.#view
  }

  notify(message: string, level: string, extension = ''): void {
    const known = levels.find((name) => name === level) ?? 'info'
    const notifications = [...this.#view.notifications, { level: known, message, extension }]
    this.#set('notifications', notifications.slice(-limits.notifications))
  }

  show(text: string, extension = ''): void {
    this.#set('messages', [...this.#view.messages, { text, extension }].slice(-limits.messages))
  }

  /** Empty content removes the widget. A widget over the limit of its placement is not shown. */
  setWidget(
    { key, extension, placement, content }: Omit<Widget, 'placement'> & { placement: string },
    owner: DisplayOwner,
  ): void {
    if (this.#gone.has(owner)) return
    const others = this.#view.widgets.filter(isOther(key, extension))
    const where = placement === 'below-status' ? 'below-status' : 'above-input'
    const isFull = others.filter((widget) => widget.placement === where).length >= limits.widgets
    const lines = content.split('\n').slice(0, limits.widgetLines).join('\n')
    const widget: Widget = { key, extension, placement: where, content: lines }
    this.#owners.set(widget, owner)
    this.#set('widgets', content === '' || isFull ? others : [...others, widget])
  }

  showOverlay(overlay: Overlay, owner: DisplayOwner): void {
    if (this.#gone.has(owner)) return
    this.#owners.set(overlay, owner)
    const others = this.#view.overlays.filter(isOther(overlay.key, overlay.extension))
    this.#set('overlays', [...others, overlay])
  }

  closeOverlay(key: string, extension: string): void {
    this.#set('overlays', this.#view.overlays.filter(isOther(key, extension)))
  }

  setStatus(key: string, text: string, extension = ''): void {
    const { [key]: _old, ...others } = this.#view.status
    this.#statusSetters.set(key, extension)
    this.#set('status', text === '' ? others : { ...others, [key]: text })
  }

  /** Removes what a process shows. `extension` is given when no other process runs under that name. */
  clear(owner: DisplayOwner, extension?: string): void {
    this.#gone.add(owner)
    const { widgets, overlays, status } = this.#view
    const stays = (shown: object) => this.#owners.get(shown) !== owner
    if (!widgets.every(stays)) this.#set('widgets', widgets.filter(stays))
    if (!overlays.every(stays)) this.#set('overlays', overlays.filter(stays))
    const left = Object.entries(status).filter(
      ([key]) => extension === undefined || this.#statusSetters.get(key) !== extension,
    )
    if (left.length < Object.keys(status).length) this.#set('status', Object.fromEntries(left))
  }

  setInputText(text: string): void {
    this.#set('inputText', text)
  }

  /** A second image removes the first. */
  attachImage(image: ImagePart): void {
    this.#set('image', this.#view.image ? undefined : image)
  }

  detachImage(): void {
    this.#set('image', undefined)
  }

  setTitle(title: string): void {
    this.#set('title', title)
  }

  quit(): void {
    this.#set('wantsToQuit', true)
  }

  #set<Part extends ViewPart>(part: Part, value: View[Part]): void {
    this.#view[part] = value
    this.#onChange(part, this.#view)
  }
}

function isOther(key: string, extension: string) {
  return (shown: { key: string; extension: string }) => shown.key !== key || shown.extension !== extension
}

export interface PickerItem {
  id: string
  label: string
  desc?: string
}

export type UserQuestion =
  | { kind: 'pick'; title: string; items: PickerItem[]; extension: string }
  | { kind: 'ask'; prompt: string; choices: string[]; extension: string }

/** Resolves with the id of an item or with a choice; undefined when the user dismisses the question. */
export type AnswerQuestion = (question: UserQuestion, signal: AbortSignal) => Promise<string | undefined>

/** Puts questions to the user, one at a time. Without a user to answer, every question is dismissed. */
export class Dialogs {
  readonly #answer: AnswerQuestion | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(answer: AnswerQuestion | undefined) {
    this.#answer = answer
  }

  get canAsk(): boolean {
    return this.#answer !== undefined
  }

  async put(question: UserQuestion, signal: AbortSignal): Promise<string | undefined> {
    const answer = this.#answer
    if (!answer) return undefined
    const turn = this.#last.then(async () => {
      if (signal.aborted) return undefined
      const chosen = await Promise.race([answer(question, signal), untilAborted(signal)])
      return isChoice(question, chosen) ? chosen : undefined
    })
    this.#last = turn.catch(() => {})
    return await turn
  }
}

function isChoice(question: UserQuestion, chosen: string | undefined): boolean {
  if (question.kind === 'pick') return question.items.some(({ id }) => id === chosen)
  return question.choices.includes(chosen ?? '')
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}
