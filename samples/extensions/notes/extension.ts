// Keeps notes of the user and of the model: in the session and in a file, in a widget, and in every prompt.
import { type Context, defineExtension, defineTool } from '../../../src/sdk/extension.ts'
import { readNotes, writeNotes } from './store.ts'

async function keep(text: string, { host, cwd, configDir }: Context): Promise<void> {
  const notes = [...readNotes(configDir, cwd), text]
  writeNotes(configDir, cwd, notes)
  await host.appendSessionEntry({ kind: 'ext:notes:note', data: { text } })
  show(notes, host)
}

function show(notes: string[], host: Context['host']): void {
  const latest = notes.slice(-3).map((note) => `• ${note}`)
  host.setWidget({ key: 'notes', placement: 'above-input', content: latest.join('\n') })
}

export const notes = defineExtension({
  name: 'notes',
  version: '1.0.0',
  onInit: ({ host, cwd, configDir }) => show(readNotes(configDir, cwd), host),
  tools: {
    take_note: defineTool({
      description: 'Keeps a fact about this project for later sessions.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      async execute({ text }, context) {
        await keep(text, context)
        return 'Noted.'
      },
    }),
  },
  commands: {
    note: {
      description: 'Keeps a note, as in /note the tests need Docker',
      immediate: true,
      handler: (args, context) =>
        args.trim() === '' ? context.host.notify('Nothing to note.', 'warn') : keep(args.trim(), context),
    },
    notes: {
      description: 'Shows all notes; /notes clear deletes them',
      handler(args, { host, cwd, configDir }) {
        if (args.trim() === 'clear') writeNotes(configDir, cwd, [])
        const all = readNotes(configDir, cwd)
        show(all, host)
        host.showOverlay({ key: 'notes', title: 'Notes', content: all.join('\n') || 'No notes yet.' })
      },
    },
  },
  shortcuts: {
    'alt+n': {
      description: 'Starts a note',
      handler({ host }) {
        host.setInputText('/note ')
        return undefined
      },
    },
  },
  messageHook(_message, { cwd, configDir }) {
    const all = readNotes(configDir, cwd)
    return all.length === 0
      ? undefined
      : `Notes about this project:\n${all.map((note) => `- ${note}`).join('\n')}`
  },
})
