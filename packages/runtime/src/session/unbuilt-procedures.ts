import type { MethodParams, MethodResult } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';

type Procedure =
  | 'task/list'
  | 'task/output'
  | 'task/stop'
  | 'files/rewind'
  | 'session/compact'
  | 'mcp/status'
  | 'mcp/reconnect'
  | 'mcp/toggle'
  | 'mcp/set';

/** What sessions of this version have none of: tasks in the background, servers, saved files, summaries. */
export type UnbuiltProcedures = {
  readonly [Name in Procedure]: (params: MethodParams<Name>) => Promise<MethodResult<Name>>;
};

/** Each says what is true of a session that is there. @param exists throws `session.not_found` where it is not. */
export function createUnbuiltProcedures(exists: (sessionId: string) => Promise<unknown>): UnbuiltProcedures {
  async function noTask({ sessionId, taskId }: MethodParams<'task/stop'>): Promise<never> {
    await exists(sessionId);
    const message = `session ${sessionId} has no task ${taskId}: nothing of it runs in the background`;
    throw new RondoError('task.not_found', message, { details: { sessionId, taskId } });
  }

  async function noServer(sessionId: string, server: string): Promise<never> {
    await exists(sessionId);
    const message = `session ${sessionId} has no MCP server "${server}": this version connects to none`;
    throw new RondoError('mcp.server_not_found', message, { details: { sessionId, server } });
  }

  async function unsupported(procedure: Procedure, sessionId: string, missing: string): Promise<never> {
    await exists(sessionId);
    throw new RondoError('session.procedure_unsupported', `${procedure} is not there: ${missing}`, {
      details: { sessionId, procedure },
    });
  }

  return {
    async 'task/list'({ sessionId }) {
      await exists(sessionId);
      return { tasks: [] };
    },
    'task/output': noTask,
    'task/stop': noTask,
    'files/rewind': ({ sessionId }) =>
      unsupported('files/rewind', sessionId, 'this version saves no files before it changes them'),
    'session/compact': ({ sessionId }) =>
      unsupported('session/compact', sessionId, 'this version does not summarise histories; fork at an earlier cursor'),
    async 'mcp/status'({ sessionId }) {
      await exists(sessionId);
      return { servers: [] };
    },
    'mcp/reconnect': ({ sessionId, server }) => noServer(sessionId, server),
    'mcp/toggle': ({ sessionId, server }) => noServer(sessionId, server),
    async 'mcp/set'({ sessionId, servers }) {
      const [first] = Object.keys(servers);
      if (first !== undefined) return await noServer(sessionId, first);
      await exists(sessionId);
      return { servers: [] };
    },
  };
}
