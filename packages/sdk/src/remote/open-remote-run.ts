import { type Client, connect } from '@rondo/client';
import type { AgentCustomizationChange, CatalogAgent, SessionInfo } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Options } from '../options/options.ts';
import { followOpened } from '../run/follow-opened.ts';
import { openSession } from '../run/open-session.ts';
import type { OpenRun, OpenRunOptions } from '../run/opened-run.ts';
import { seenEvents } from '../run/seen-events.ts';
import { lastSession } from '../sessions/last-session.ts';
import { remoteAgent } from './remote-agent.ts';
import { createRemoteQuestions } from './remote-questions.ts';

/** A session at a host, open for one query. */
export interface RemoteRun extends OpenRun {
  readonly client: Client;
  readonly agent: CatalogAgent;
  /** Changes what the session has otherwise than its agent says, from the next turn on. */
  configure(change: AgentCustomizationChange): Promise<void>;
  /** Puts every question that is open at the host to `canUseTool` again, under its ID. */
  askAgain(): Promise<void>;
}

/**
 * Opens the session at the host that `options.url` names. The token is `options.token`, or `RONDO_TOKEN` of the
 * environment. A connection that is lost is opened again, and nothing is missed.
 * @throws RondoError as the host refuses: `access.unauthenticated`, `session.not_found`, `session.config_mismatch`, …
 */
export async function openRemoteRun(options: Options, { streaming, note, signal }: OpenRunOptions): Promise<RemoteRun> {
  const { url = '', env = process.env, token = env['RONDO_TOKEN'] } = options;
  const client = connect(url, { name: 'query', ...(token ? { token } : {}) });
  const close = async (): Promise<void> => {
    client.close();
    await client.closed;
  };
  // A host that does not answer is waited for by nobody then.
  const onAbort = (): void => client.close();
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const found = await findRemoteSession(client, options);
    const agent = await remoteAgent(client, options.agent ?? found?.agentName);
    const { bindingId } = agent;
    const opened = await openSession({ client, bindingId, options, found, streaming });
    const questions = createRemoteQuestions(options.canUseTool, note);
    const session = client.session(opened.session.id, { bindingId, ...questions.handlers });
    const configure = async (change: AgentCustomizationChange): Promise<void> => {
      if (!agent.customizable)
        throw new RondoError(
          'input.invalid',
          `the host's agent ${agent.name} is what it is: ${Object.keys(change).join(', ')} cannot be changed.`,
        );
      await session.configure(change);
    };
    const change = customizationOf(options);
    if (Object.keys(change).length > 0) await configure(change);
    const tools = agent.tools.map(({ name }) => name);
    const run = await followOpened({ client, session, opened, options, tools });
    if (run.openTurnId !== undefined) questions.follow(session, run.openTurnId);
    return {
      ...run,
      client,
      agent,
      configure,
      askAgain: async () => await questions.askAgain(session),
      events: seenEvents(run.events, (event) => questions.see(session, event)),
      async close() {
        questions.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

async function findRemoteSession(client: Client, options: Options): Promise<SessionInfo | undefined> {
  if (options.resume !== undefined) return await client.session(options.resume).read();
  if (options.continue !== true) return undefined;
  const { agent } = options;
  const last = await lastSession(client, agent === undefined ? {} : { agentName: agent });
  if (last !== undefined) return last;
  throw new RondoError('session.not_found', 'the host has no session to continue; leave out continue to start one');
}

function customizationOf({ model, systemPrompt, effort }: Options): AgentCustomizationChange {
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof systemPrompt === 'string' ? { instructions: systemPrompt } : {}),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
  };
}
