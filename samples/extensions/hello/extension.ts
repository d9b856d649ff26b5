// The smallest extension that has everything people start with: a tool for the model, a command for the user, a line of the prompt.
import { defineExtension, defineTool } from '../../../src/sdk/extension.ts'

const greetings = { en: 'Hello', fr: 'Bonjour', tr: 'Merhaba' }

export const hello = defineExtension({
  name: 'hello',
  version: '1.0.0',
  tools: {
    greet: defineTool({
      description: 'Greets somebody by name.',
      parameters: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Whom to greet.' },
          language: { enum: ['en', 'fr', 'tr'] },
        },
        required: ['name'],
      },
      backgroundSafe: true,
      // The types of the arguments are those of the schema.
      execute: ({ name, language = 'en' }) => `${greetings[language]}, ${name}!`,
    }),
  },
  commands: {
    wave: {
      description: 'Waves at somebody',
      handler(args, { host }) {
        host.notify(`You wave at ${args.trim() || 'the world'}.`)
      },
    },
  },
  promptSections: {
    Manners: { content: 'Use the tool greet when the user wants somebody greeted.', order: 60 },
  },
})
