import { resolve } from 'node:path';
import type { Client, Session } from '@rondo/client';
import type { SDKMessage, StreamEvent } from '@rondo/protocol';
import { resolveHome } from '@rondo/runtime/node';
import { createProjection, type Projection } from '../message/project-message.ts';
import { compileWithServers, type ServedBinding } from '../mcp/compile-with-servers.ts';
import type { Options } from '../options/options.ts';
import { packageVersion } from '../package-version.ts';
import { leaseMemoryRuntime, leaseRuntime } from '../runtime/runtime-lease.ts';
import { foldHistory } from './fold-history.ts';
import { findSession, openSession } from './open-session.ts';

/** A session that is open for one `query()`, and what follows in it. */
export interface OpenRun {
  readonly session: Session;
  /** A turn that a former process left unfinished, which goes on. */
  readonly openTurnId?: string;
  /** One that cannot go on here, and waits until something new is said. */
  readonly parkedTurnId?: string;
  readonly projection: Projection;
  /** What a reader should be shown first: how an open turn began. */
  readonly firstLines: readonly SDKMessage[];
  /** From the run's beginning on. Leaving it ends it, also while a `next()` is pending. */
  readonly events: AsyncIterator<StreamEvent>;
  /** The MCP servers of the session. */
  readonly servers: ServedBinding['servers'];
  /** Changes the program's own settings while the session is at work. */
  applyFlagSettings(change: Readonly<Record<string, unknown>>): Promise<void>;
  /** Gives everything back. A turn at work goes on until the runtime closes. */
  close(): Promise<void>;
}

export interface OpenRunOptions {
  readonly streaming: boolean;
  readonly note: (text: string) => void;
}

/** Opens the session that the options ask for. The runtime, the model, the tools and the sandbox are loaded at once. */
export async function openRun(options: Options, { streaming, note }: OpenRunOptions): Promise<OpenRun> {
  const env = options.env ?? process.env;
  const home = homeOf(options, env);
  const goesOn = options.resume !== undefined || options.continue === true;
  // It brings a model, rules and a folder of its own, which another process would not work by.
  const leasing = options.persistSession === false ? leaseMemoryRuntime() : leaseRuntime(home, { ownOnly: true });
  const compiling = goesOn ? undefined : compileWithServers(options, { env, home, note });
  compiling?.catch(() => {});
  const lease = await leasing;
  let binding: ServedBinding | undefined;
  try {
    const { client, runtime } = lease;
    const found = await findSession(client, options, resolve(options.cwd ?? process.cwd()));
    const bound = await (compiling ?? compileWithServers(options, { env, home, note, lastModel: found?.model }));
    binding = bound;
    const bindingId = runtime.bind(bound);
    const { session, after, openTurnId, parkedTurnId } = await openSession({
      client,
      bindingId,
      options,
      found,
      from: await startOf(options, client, found?.id),
      streaming,
    });
    const projection = createProjection({
      sessionId: session.id,
      includePartialMessages: options.includePartialMessages === true,
      includeHookEvents: options.includeHookEvents === true,
      replayUserMessages: options.replayUserMessages === true,
      version: packageVersion,
      tools: bound.tools.filter((tool) => tool.kind !== 'mcp').map((tool) => tool.name),
      modelLimits: { [bound.model.name]: bound.model.limits ?? {} },
    });
    const firstLines =
      after === undefined
        ? []
        : await begunLines({ client, sessionId: session.id, until: after }, projection, openTurnId);
    const events = session
      .events({ deltas: wantsDeltas(options), ...(after === undefined ? {} : { after }) })
      [Symbol.asyncIterator]();
    return {
      session,
      projection,
      firstLines,
      events,
      ...(openTurnId === undefined ? {} : { openTurnId }),
      ...(parkedTurnId === undefined ? {} : { parkedTurnId }),
      servers: bound.servers,
      applyFlagSettings: (change) => bound.livePolicy.setFlag(change),
      async close() {
        await events.return?.();
        runtime.unbind(bindingId);
        await bound.servers.close();
        await lease.release();
        // A model of the caller's own is the caller's to close.
        if (typeof options.model !== 'object') await bound.model.close?.();
      },
    };
  } catch (error) {
    await binding?.servers.close();
    await lease.release();
    throw error;
  }
}

function homeOf(options: Options, env: NonNullable<Options['env']>): string {
interface PreparedParts {
  readonly options: Options;
  readonly streaming: boolean;
  readonly client: Client;
  readonly runtime: Runtime;
  readonly binding: ServedBinding;
  readonly bindingId: string;
  readonly found: SessionInfo | undefined;
  readonly close: () => Promise<void>;
}

async function openPrepared({ options, client, runtime, binding, ...parts }: PreparedParts): Promise<LocalRun> {
  const { bindingId, close, found, streaming } = parts;
  const from = await startOf(options, client, found?.id);
  const opened = await openSession({ client, bindingId, options, found, from, streaming });
  const { session, after, openTurnId, parkedTurnId } = opened;
  const projection = createProjection({
    sessionId: session.id,
    includePartialMessages: options.includePartialMessages === true,
    includeHookEvents: options.includeHookEvents === true,
    replayUserMessages: options.replayUserMessages === true,
    sessionStates: options.sessionStates === true,
    ...(options.betas === undefined ? {} : { betas: options.betas }),
    version: packageVersion,
    tools: binding.tools.filter((tool) => tool.kind !== 'mcp').map((tool) => tool.name),
    modelLimits: { [binding.model.name]: binding.model.limits ?? {} },
  });
  const firstLines =
    after === undefined
      ? []
      : await begunLines({ client, sessionId: session.id, until: after }, projection, openTurnId);
  const events = session
    .events({ deltas: shownKinds(options), ...(after === undefined ? {} : { after }) })
    [Symbol.asyncIterator]();
  return {
    session,
    projection,
    firstLines,
    events,
    ...(openTurnId === undefined ? {} : { openTurnId }),
    ...(parkedTurnId === undefined ? {} : { parkedTurnId }),
    binding,
    askAgain() {
      binding.questions?.askAgain(async (callbackId, answer, by) => {
        await runtime.answerCallback({ sessionId: session.id, callbackId, answer }, { by });
      });
    },
    async close() {
      await events.return?.();
      await close();
    },
  };
}

  return options.home === undefined ? resolveHome(env) : resolve(options.home);
}

/** Where a session that is gone on with is gone on from: the cursor of a message of it. */
async function startOf(options: Options, client: Client, sessionId: string | undefined): Promise<string | undefined> {
  if (options.resumeSessionAt === undefined || sessionId === undefined) return undefined;
  const { findMessage } = await import('./find-message.ts');
  return await findMessage(client, sessionId, options.resumeSessionAt);
}

export async function begunLines(
  history: Parameters<typeof foldHistory>[0],
  projection: Projection,
  openTurnId: string | undefined,
): Promise<SDKMessage[]> {
  let init: SDKMessage | undefined;
  await foldHistory(history, projection, (lines) => {
    init = lines.find((line) => line.type === 'system' && line.subtype === 'init') ?? init;
  });
  return openTurnId === undefined || init === undefined ? [] : [init];
}

export function wantsDeltas({ includePartialMessages, includeHookEvents }: Options): boolean {
  return includePartialMessages === true || includeHookEvents === true;
}
