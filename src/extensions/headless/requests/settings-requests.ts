// What extensions ask about settings, keys, models, tools and earlier contents of files.
import { keyOf } from '../models/model.ts'
import { modelInfos } from '../models/model-list.ts'
import type { Services } from '../services.ts'
import { readExtensionText } from '../settings/extension-text.ts'
import type { Requests } from './requests.ts'

export function settingsRequests({ config, options, findKey, models, choice, toolSet, undo }: Services) {
  return {
    'host/config.get': ({ keys }) => {
      const settings = config()
      const values = keys.map((key) => [key, settings.get(key)] as const).filter(([, value]) => value !== undefined)
      return { values: Object.fromEntries(values) }
    },
    'host/config.readExtension': ({ name }) => ({ content: readExtensionText(options.configDir, name) }),
    'host/auth.getKey': async ({ provider }) => ({ key: await findKey(provider) }),
    'host/availableModels': () => {
      const current = choice.find()
      return { models: modelInfos(models.all(), current ? keyOf(current) : '') }
    },
    'host/switchModel': ({ modelId, persistDefault }) => {
      choice.switchTo(modelId, persistDefault)
      return {}
    },
    'host/syncModels': async () => ({ updated: await models.sync() }),
    'host/writeModels': ({ overrides }) => ({ modelsWritten: models.write(overrides) }),
    'host/activateTool': ({ name }) => {
      toolSet.activate(name)
      return {}
    },
    'host/setToolFilter': ({ names }) => {
      toolSet.setFilter(names)
      return {}
    },
    'host/undoSnapshots': () => ({ snapshots: undo.list() }),
    'host/undoRestore': ({ path }) => {
      undo.restore(path)
      return {}
    },
  } satisfies Partial<Requests>
}
