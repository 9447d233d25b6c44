import { type Options, query } from '@rondo/sdk';
import { clientHooks, type ClientHooks } from './client-hooks.ts';
import { endWithFailure } from './end-work.ts';
import { followWork } from './follow-work.ts';
import { leftQuestions } from './left-questions.ts';
import { peerOptions } from './peer-options.ts';
import type { PeerSession, Work } from './peer-session.ts';
import type { Frame } from './read-frames.ts';

/** The session's query: started by the first that asks for it, with the fields of `initialize` where that is one. */
export function beginWork(session: PeerSession, initialize?: Frame): Promise<Work> {
  session.course.work ??= start(session, initialize);
  return session.course.work;
}

async function start(session: PeerSession, initialize: Frame | undefined): Promise<Work> {
  const { request, requests, asksClient, facts, messages } = session;
  try {
    const hooks = clientHooks(initialize?.['hooks'], requests);
    const left = asksClient ? await leftQuestions(request) : [];
    facts.left(left.map(({ toolUseId }) => toolUseId));
    const started = query({ prompt: messages, options: await optionsOf(session, initialize ?? {}, hooks) });
    void followWork(session, started);
    return { query: started, hooks, left, isInitialized: initialize !== undefined };
  } catch (error) {
    // It waits for the requests that wait for this.
    void endWithFailure(session, error);
    throw error;
  }
}

function optionsOf(session: PeerSession, initialize: Frame, { hooks }: ClientHooks): Promise<Options> {
  const { request, context, env, requests, servers, asksClient, facts, states } = session;
  return peerOptions({
    request,
    initialize,
    env,
    hooks,
    mcpServers: servers.fromInitialize(initialize, request.further['mcpServers']),
    note: context.say,
    requests,
    asking: asksClient ? { untilShown: facts.untilShown, onClosed: () => void states.tell() } : undefined,
  });
}
