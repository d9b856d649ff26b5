// Defines the life of a supervised extension as data: state × event → next state and actions. A missing cell
// does not compile.

export const supervisorStates = [
  'stopped',
  'starting',
  'running',
  'reloading',
  'resting',
  'degraded',
] as const

export type SupervisorState = (typeof supervisorStates)[number]

export const supervisorEvents = {
  start: 'the extension is to run',
  ready: 'the new process has completed the handshake and answers',
  failed: 'the new process could not be started; another attempt follows soon',
  'given-up': 'it failed too often, or at the very first attempt',
  gone: 'the running process has ended, or no longer answers',
  timer: 'it is time for another attempt',
  reload: 'its files have changed, or a reload was requested',
  stop: 'the extension is no longer to run',
} as const

export type SupervisorEvent = keyof typeof supervisorEvents

const supervisorActions = {
  launch: 'start a process, with the manifest as it is now',
  adopt: 'from now on this is the process behind the name',
  retire: 'let the old process finish its requests, then stop it',
  end: 'stop the process at once',
  discard: 'forget the process that is being started',
  drop: 'the process behind the name is gone',
  rest: 'try again in a while: 1, 2, 4, 8, 16 seconds',
  probe: 'try again from time to time',
} as const

export type SupervisorAction = keyof typeof supervisorActions

interface Transition {
  state: SupervisorState
  actions: readonly SupervisorAction[]
}

const to = (state: SupervisorState, ...list: SupervisorAction[]): Transition => ({ state, actions: list })

export const supervisorTable = {
  stopped: {
    start: to('starting', 'launch'),
    ready: to('stopped', 'discard'),
    failed: to('stopped'),
    'given-up': to('stopped'),
    gone: to('stopped', 'drop'),
    timer: to('stopped'),
    reload: to('stopped'),
    stop: to('stopped'),
  },
  starting: {
    start: to('starting'),
    ready: to('running', 'adopt'),
    failed: to('resting', 'rest'),
    'given-up': to('degraded', 'probe'),
    gone: to('starting', 'drop'),
    timer: to('starting'),
    reload: to('starting', 'discard', 'launch'),
    stop: to('stopped', 'discard', 'end'),
  },
  running: {
    start: to('running'),
    ready: to('running', 'discard'),
    failed: to('running'),
    'given-up': to('running'),
    gone: to('resting', 'drop', 'rest'),
    timer: to('running'),
    reload: to('reloading', 'launch'),
    stop: to('stopped', 'end'),
  },
  // The old process serves until the new one is ready; if the new one fails, the old one stays.
  reloading: {
    start: to('reloading'),
    ready: to('running', 'retire', 'adopt'),
    failed: to('running'),
    'given-up': to('running'),
    gone: to('starting', 'drop'),
    timer: to('reloading'),
    reload: to('reloading', 'discard', 'launch'),
    stop: to('stopped', 'discard', 'end'),
  },
  resting: {
    start: to('starting', 'launch'),
    ready: to('resting', 'discard'),
    failed: to('resting'),
    'given-up': to('degraded', 'probe'),
    gone: to('resting'),
    timer: to('starting', 'launch'),
    reload: to('starting', 'launch'),
    stop: to('stopped'),
  },
  degraded: {
    start: to('starting', 'launch'),
    ready: to('degraded', 'discard'),
    failed: to('degraded'),
    'given-up': to('degraded'),
    gone: to('degraded', 'drop'),
    timer: to('starting', 'launch'),
    reload: to('starting', 'launch'),
    stop: to('stopped'),
  },
} as const satisfies Record<SupervisorState, Record<SupervisorEvent, Transition>>
