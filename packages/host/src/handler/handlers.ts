import type { MethodName, MethodParams, MethodResult } from '@rondo/protocol';
import type { ServedRuntime } from '../access/served-runtime.ts';
import type { Capabilities } from '../capability/capabilities.ts';
import type { Subscriptions } from '../subscription.ts';
import { initialize } from './initialize.ts';

/** What a handler may touch: the runtime, and what belongs to the connection that asks. */
export interface HandlerContext {
  readonly runtime: ServedRuntime;
  readonly subscriptions: Subscriptions;
  readonly capabilities: Capabilities;
  /** What this host calls itself. */
  readonly name: string;
  /** Who is at the other end, for the log. */
  readonly principal: string | undefined;
}

/** One handler a method: a method without one does not compile. */
export type Handlers = {
  readonly [Method in MethodName]: (
    params: MethodParams<Method>,
    context: HandlerContext,
  ) => Promise<MethodResult<Method>> | MethodResult<Method>;
};

export const handlers = {
  'host/initialize': initialize,
  'session/create': (params, { runtime }) => runtime.createSession(params),
  'session/open': (params, { runtime }) => runtime.openSession(params),
  'session/fork': (params, { runtime }) => runtime.forkSession(params),
  'session/read': (params, { runtime }) => runtime.readSession(params),
  'session/list': (params, { runtime }) => runtime.listSessions(params),
  'session/update': (params, { runtime }) => runtime.updateSession(params),
  'session/configure': (params, { runtime }) => runtime.configureSession(params),
  'session/subagents': (params, { runtime }) => runtime.listSubagents(params),
  'session/cancel': (params, { runtime }) => runtime.cancelSession(params),
  'session/close': (params, { runtime }) => runtime.closeSession(params),
  'session/delete': async ({ sessionId }, { runtime }) => {
    await runtime.deleteSession(sessionId);
    return {};
  },
  'turn/start': (params, { runtime }) => runtime.startTurn(params),
  'turn/send': (params, { runtime }) => runtime.sendMessage(params),
  'message/list': (params, { runtime }) => runtime.listMessages(params),
  'message/cancel': (params, { runtime }) => runtime.cancelMessage(params),
  'turn/steer': (params, { runtime }) => runtime.steerTurn(params),
  'turn/read': (params, { runtime }) => runtime.readTurn(params),
  'turn/list': (params, { runtime }) => runtime.listTurns(params),
  'history/list': (params, { runtime }) => runtime.listHistory(params),
  'turn/interrupt': (params, { runtime }) => runtime.interruptTurn(params),
  'callback/answer': (params, { runtime, principal }) =>
    runtime.answerCallback(params, principal === undefined ? {} : { by: principal }),
  'capability/bind': (params, { capabilities }) => capabilities.bind(params),
  'events/read': (params, { runtime }) => runtime.readEvents(params),
  'events/subscribe': (params, { subscriptions }) => subscriptions.open(params),
  'events/unsubscribe': (params, { subscriptions }) => subscriptions.close(params),
  'task/list': (params, { runtime }) => runtime.unbuilt['task/list'](params),
  'task/output': (params, { runtime }) => runtime.unbuilt['task/output'](params),
  'task/stop': (params, { runtime }) => runtime.unbuilt['task/stop'](params),
  'files/rewind': (params, { runtime }) => runtime.unbuilt['files/rewind'](params),
  'session/compact': (params, { runtime }) => runtime.unbuilt['session/compact'](params),
  'mcp/status': (params, { runtime }) => runtime.unbuilt['mcp/status'](params),
  'mcp/reconnect': (params, { runtime }) => runtime.unbuilt['mcp/reconnect'](params),
  'mcp/toggle': (params, { runtime }) => runtime.unbuilt['mcp/toggle'](params),
  'mcp/set': (params, { runtime }) => runtime.unbuilt['mcp/set'](params),
  'catalog/read': (params, { runtime }) => runtime.readCatalog(params),
  'blobs/read': (params, { runtime }) => runtime.readBlob(params),
} satisfies Handlers;

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(handlers, name);
}
