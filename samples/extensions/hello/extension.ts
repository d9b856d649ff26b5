// Defines the smallest useful extension: a tool for the model, a command for the user, a part of the prompt.
import { defineExtension, defineTool } from '../../../src/sdk/extension.ts'

const greetings = { en: 'Hello', fr: 'Bonjour', tr: 'Merhaba' }

export const hello = defineExtension({
  name: 'hello',
  version: '1.0.0',
  tools: {
    greet: defineTool({
      description: 'Greets a person by name.',
      parameters: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The person to greet.' },
          language: { enum: ['en', 'fr', 'tr'] },
        },
        required: ['name'],
      },
      backgroundSafe: true,
      // The arguments have the types of the schema.
      execute: ({ name, language = 'en' }) => `${greetings[language]}, ${name}!`,
    }),
  },
  commands: {
    wave: {
      description: 'Waves at a person',
      handler(args, { host }) {
        host.notify(`You wave at ${args.trim() || 'the world'}.`)
      },
    },
  },
  promptSections: {
    Manners: { content: 'Use the tool greet when the user wants a person greeted.', order: 60 },
  },
})
