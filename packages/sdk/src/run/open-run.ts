import { resolve } from 'node:path';
import type { Client } from '@rondo/client';
import type { SessionInfo } from '@rondo/protocol';
import type { Runtime } from '@rondo/runtime';
import { resolveHome } from '@rondo/runtime/node';
import { compileWithServers, type ServedBinding } from '../mcp/compile-with-servers.ts';
import type { OpeningMoment } from '../options/opening-moment.ts';
import type { Options } from '../options/options.ts';
import { leaseMemoryRuntime, leaseRuntime } from '../runtime/runtime-lease.ts';
import { followOpened } from './follow-opened.ts';
import { findSession, openSession } from './open-session.ts';
import type { OpenRun, OpenRunOptions } from './opened-run.ts';
import type { RunMirror, StoredRun } from './run-with-store.ts';

/** A session at work in this process, and what steers it. */
export interface LocalRun extends OpenRun {
  readonly binding: ServedBinding;
  /** Puts every question that waits for `canUseTool` to it again, under its ID. */
  askAgain(): void;
}

/** All that a query needs and that is of no session: loaded, compiled, and nothing stored. */
export interface PreparedRun {
  /** Opens the session that the options ask for. Once only. It closes what was prepared with it, also where it fails. */
  open(how: Pick<OpenRunOptions, 'signal' | 'streaming'>): Promise<LocalRun>;
  /** Gives everything back where no session was opened. */
  close(): Promise<void>;
}

/** Opens the session that the options ask for. The runtime, the model, the tools and the sandbox are loaded at once. */
export async function openRun(
  options: Options,
  { streaming, note, signal, moment }: OpenRunOptions & Pick<PrepareRunOptions, 'moment'>,
): Promise<LocalRun> {
  return await (await prepareRun(options, { note, isWarm: false, signal, moment })).open({ streaming, signal });
}

export interface PrepareRunOptions {
  readonly note: (text: string) => void;
  /** It is opened some time later, so that stored sessions may have changed until then. */
  readonly isWarm: boolean;
  /** Aborts when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
  /** Shared with the queries that open right now. */
  readonly moment?: OpeningMoment | undefined;
}

/** @throws RondoError for options that cannot be served, sessions that are not there, models and sandboxes that cannot be loaded. */
export async function prepareRun(
  options: Options,
  { note, isWarm, signal, moment }: PrepareRunOptions,
): Promise<PreparedRun> {
  const env = options.env ?? process.env;
  const home = homeOf(options, env);
  const goesOn = options.resume !== undefined || options.continue === true;
  // It brings a model, rules and a folder of its own, which another process would not work by.
  const leasing = options.persistSession === false ? leaseMemoryRuntime() : leaseRuntime(home, { ownOnly: true });
  const compiling = goesOn ? undefined : compileWithServers(options, { env, home, note, signal, moment });
  compiling?.catch(() => {});
  const lease = await leasing;
  const { client, runtime } = lease;
  const cwd = resolve(options.cwd ?? process.cwd());
  const stored = options.sessionStore === undefined ? undefined : await import('./run-with-store.ts');
  let known: StoredRun['known'] | undefined;
  const find = async (): Promise<SessionInfo | undefined> => {
    if (stored === undefined) return await findSession(client, options, cwd);
    const inStore = await stored.findInStore({ client, runtime, options, cwd, signal });
    known = options.forkSession === true ? undefined : inStore.known;
    return inStore.found;
  };
  let made: ServedBinding | undefined;
  try {
    const found = await find();
    const binding = await (compiling ??
      compileWithServers(options, { env, home, note, signal, lastModel: found?.model || undefined }));
    made = binding;
    if (isWarm) await (await import('./load-ahead.ts')).loadAhead(options, binding);
    const bindingId = runtime.bind(binding);
    const close = async (): Promise<void> => {
      runtime.unbind(bindingId);
      try {
        await binding.servers.close();
      } finally {
        await lease.release();
      }
      await binding.close();
    };
    return {
      close,
      async open({ streaming, signal: wanted }) {
        try {
          const current = isWarm && goesOn ? await find() : found;
          // A query that was stopped meanwhile leaves no session behind.
          wanted?.throwIfAborted();
          const run = await openPrepared({
            options,
            streaming,
            client,
            runtime,
            binding,
            bindingId,
            found: current,
            close,
          });
          const mirror = stored?.startMirror({ client, session: run.session, options, cwd, known });
          return mirror === undefined ? run : mirroredRun(run, mirror);
        } catch (error) {
          // What went wrong first is told: a script that is not played to its end is no news then.
          await close().catch(() => {});
          throw error;
        }
      },
    };
  } catch (error) {
    // What was compiled at the same time is given back as well.
    made ??= await compiling?.catch(() => undefined);
    await made?.servers.close().catch(() => {});
    await made?.close().catch(() => {});
    await lease.release();
    throw error;
  }
}

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
  const { session } = opened;
  const run = await followOpened({
    client,
    session,
    opened,
    options,
    tools: binding.tools.filter((tool) => tool.kind !== 'mcp').map((tool) => tool.name),
    modelLimits: { [binding.model.name]: binding.model.limits ?? {} },
  });
  return {
    ...run,
    binding,
    askAgain() {
      binding.questions?.askAgain(async (callbackId, answer, by) => {
        await runtime.answerCallback({ sessionId: session.id, callbackId, answer }, { by });
      });
    },
    async close() {
      await run.events.return?.();
      await close();
    },
  };
}

function mirroredRun(run: LocalRun, mirror: RunMirror): LocalRun {
  return {
    ...run,
    watch: mirror.watch,
    async close() {
      await mirror.close();
      await run.close();
    },
  };
}

function homeOf(options: Options, env: NonNullable<Options['env']>): string {
  return options.home === undefined ? resolveHome(env) : resolve(options.home);
}

/** Where a session that is gone on with is gone on from: the cursor of a message of it. */
async function startOf(options: Options, client: Client, sessionId: string | undefined): Promise<string | undefined> {
  if (options.resumeSessionAt === undefined || sessionId === undefined) return undefined;
  const { findMessage } = await import('./find-message.ts');
  return await findMessage(client, sessionId, options.resumeSessionAt);
}
