// What a person would see, as data: whoever shows it hears of every change.
import type { ImagePart } from './conversation/message.ts'

export type Level = 'info' | 'warn' | 'error'

export interface Notification {
  level: Level
  message: string
  /** Who says it; empty for the program itself. */
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
  /** For a moment. */
  notifications: Notification[]
  /** To stay. */
  messages: { text: string; extension: string }[]
  widgets: Widget[]
  /** The last one is on top. */
  overlays: Overlay[]
  status: Record<string, string>
  /** Where the user types. */
  inputText: string
  /** For the next prompt. */
  image: ImagePart | undefined
  title: string
  wantsToQuit: boolean
}

export type ViewPart = keyof View

const limits = { notifications: 100, messages: 1000, widgetLines: 5, widgets: 10 }
const levels: Level[] = ['info', 'warn', 'error']

export type Screen = ReturnType<typeof createScreen>

/** Whoever shows something in a place of its own: it goes with them. */
export type Shower = object

export function createScreen(onChange: (part: ViewPart, view: View) => void) {
  const shownBy = new WeakMap<object, Shower>()
  const gone = new WeakSet<Shower>()
  const statusOf = new Map<string, string>()
  const by = <Shown extends object>(shower: Shower, shown: Shown): Shown => {
    shownBy.set(shown, shower)
    return shown
  }
  const view: View = {
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
  const set = <Part extends ViewPart>(part: Part, value: View[Part]) => {
    view[part] = value
    onChange(part, view)
  }
  const isOther = (key: string, extension: string) => (one: { key: string; extension: string }) =>
    one.key !== key || one.extension !== extension

  return {
    view: (): Readonly<View> => view,
    notify(message: string, level: string, extension = ''): void {
      const known = levels.find((one) => one === level) ?? 'info'
      set(
        'notifications',
        [...view.notifications, { level: known, message, extension }].slice(-limits.notifications),
      )
    },
    show: (text: string, extension = '') =>
      set('messages', [...view.messages, { text, extension }].slice(-limits.messages)),
    /** Without content it goes. Those over the number that fit are not shown. */
    setWidget(
      { key, extension, placement, content }: Omit<Widget, 'placement'> & { placement: string },
      shower: Shower,
    ): void {
      if (gone.has(shower)) return
      const others = view.widgets.filter(isOther(key, extension))
      const where = placement === 'below-status' ? 'below-status' : 'above-input'
      const lines = content.split('\n').slice(0, limits.widgetLines).join('\n')
      const isFull = others.filter((one) => one.placement === where).length >= limits.widgets
      const widget = by(shower, { key, extension, placement: where, content: lines } as const)
      set('widgets', content === '' || isFull ? others : [...others, widget])
    },
    showOverlay(overlay: Overlay, shower: Shower): void {
      if (gone.has(shower)) return
      set('overlays', [...view.overlays.filter(isOther(overlay.key, overlay.extension)), by(shower, overlay)])
    },
    closeOverlay: (key: string, extension: string) =>
      set('overlays', view.overlays.filter(isOther(key, extension))),
    setStatus(key: string, text: string, extension = ''): void {
      const { [key]: _old, ...others } = view.status
      statusOf.set(key, extension)
      set('status', text === '' ? others : { ...others, [key]: text })
    },
    /** `extension`: the name, when nobody stands behind it any more. */
    clear(shower: Shower, extension?: string): void {
      gone.add(shower)
      const isLeft = (shown: object) => shownBy.get(shown) !== shower
      if (!view.widgets.every(isLeft)) set('widgets', view.widgets.filter(isLeft))
      if (!view.overlays.every(isLeft)) set('overlays', view.overlays.filter(isLeft))
      const left = Object.entries(view.status).filter(
        ([key]) => extension === undefined || statusOf.get(key) !== extension,
      )
      if (left.length < Object.keys(view.status).length) set('status', Object.fromEntries(left))
    },
    setInputText: (text: string) => set('inputText', text),
    /** A second one takes the first away. */
    attachImage: (image: ImagePart) => set('image', view.image ? undefined : image),
    detachImage: () => set('image', undefined),
    setTitle: (title: string) => set('title', title),
    quit: () => set('wantsToQuit', true),
  }
}

// Questions to the user, one at a time. Where nobody can be asked, everything is dismissed.

export interface PickerItem {
  id: string
  label: string
  desc?: string
}

export type UserQuestion =
  | { kind: 'pick'; title: string; items: PickerItem[]; extension: string }
  | { kind: 'ask'; prompt: string; choices: string[]; extension: string }

/** The id of an item, or one of the choices; undefined when the user would not. Aborted: nobody waits for it any more. */
export type AnswerQuestion = (question: UserQuestion, signal: AbortSignal) => Promise<string | undefined>

export type Dialogs = ReturnType<typeof createDialogs>

export function createDialogs(answer: AnswerQuestion | undefined) {
  let last: Promise<unknown> = Promise.resolve()
  const fits = (question: UserQuestion, chosen: string | undefined) =>
    question.kind === 'pick'
      ? question.items.some(({ id }) => id === chosen)
      : question.choices.includes(chosen ?? '')
  return {
    canAsk: answer !== undefined,
    async put(question: UserQuestion, signal: AbortSignal): Promise<string | undefined> {
      if (!answer) return undefined
      const mine = last.then(async () => {
        if (signal.aborted) return undefined
        const chosen = await Promise.race([answer(question, signal), untilAborted(signal)])
        return fits(question, chosen) ? chosen : undefined
      })
      last = mine.catch(() => {})
      return await mine
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}
