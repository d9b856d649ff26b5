// How calls of the host look to authors: what takes one value takes that value, what gives one value gives that value.
import type { HostNotice, HostRequest, Result, SentParams } from '../../protocol/extension.ts'

/** The one field of the parameters. All others take an object, or nothing. */
export const takes = {
  'host/listTools': 'filter',
  'host/activateTool': 'name',
  'host/setToolFilter': 'names',
  'host/config.get': 'keys',
  'host/config.readExtension': 'name',
  'host/auth.getKey': 'provider',
  'host/writeModels': 'overrides',
  'host/runBackground': 'prompt',
  'host/undoRestore': 'path',
  'host/setConversationMessages': 'messages',
  'host/loadSession': 'path',
  'host/setSessionTitle': 'title',
  'host/branchSession': 'entryId',
  'host/subscribe': 'topic',
  showMessage: 'text',
  closeOverlay: 'key',
  setInputText: 'text',
  sendMessage: 'content',
  steer: 'content',
  abortWithMarker: 'reason',
} as const satisfies { [M in HostRequest | HostNotice]?: keyof SentParams<M> }

/** The one field of the result. All others give an object; what says nothing gives nothing. */
export const gives = {
  'host/listTools': 'tools',
  'host/toolDefs': 'tools',
  'host/commands': 'commands',
  'host/shortcuts': 'shortcuts',
  'host/promptSections': 'sections',
  'host/config.get': 'values',
  'host/config.readExtension': 'content',
  'host/auth.getKey': 'key',
  'host/availableModels': 'models',
  'host/syncModels': 'updated',
  'host/writeModels': 'modelsWritten',
  'host/isBackgroundRunning': 'running',
  'host/extInfos': 'extensions',
  'host/extensionsDir': 'path',
  'host/undoSnapshots': 'snapshots',
  'host/toggleStepMode': 'on',
  'host/hasCompactor': 'present',
  'host/conversationMessages': 'messages',
  'host/lastAssistantText': 'text',
  'host/sessions': 'sessions',
  'host/sessionTitle': 'title',
  'host/sessionEntryInfos': 'entries',
  'host/sessionFullTree': 'nodes',
  'host/showPicker': 'selected',
  'host/subscribe': 'subscriptionId',
} as const satisfies { [M in HostRequest]?: keyof Result<M> }

export type Takes = typeof takes
export type Gives = typeof gives
