import type { Options } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import { queryOptions } from '../compose.ts';
import { clientStore } from './client-store.ts';
import { askClient, type AskClientOptions } from './ask-client.ts';
import type { ClientRequests } from './client-requests.ts';
import type { ServerTable } from './client-servers.ts';
import { elicitByClient } from './elicit-by-client.ts';
import { environmentOptions, initializeOptions } from './initialize-options.ts';
import type { Frame } from './read-frames.ts';

export interface PeerOptionsParts {
  readonly request: ChatRequest;
  /** The fields of `initialize`. */
  readonly initialize: Frame;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hooks: NonNullable<Options['hooks']>;
  readonly mcpServers: ServerTable;
  readonly note: (text: string) => void;
  readonly requests: ClientRequests;
  /** How the client is asked about calls, where it wants to be. */
  readonly asking: Pick<AskClientOptions, 'untilShown' | 'onClosed'> | undefined;
}

/** What a client asks for by flags, `initialize` and environment, as `query()` takes it. */
export async function peerOptions(parts: PeerOptionsParts): Promise<Options> {
  const { request, initialize, env, hooks, mcpServers, note, requests, asking } = parts;
  const { systemPrompt, ...given } = initializeOptions(initialize);
  const isEmptyPrompt = systemPrompt === undefined && initialize['systemPrompt'] !== undefined;
  const resume = await resumedSession(request);
  const more: Frame = {
    ...environmentOptions(env),
    ...given,
    // An empty prompt is what clients send for none; a prompt of the command line stands.
    ...(isEmptyPrompt && request.systemPrompt === undefined ? { systemPrompt: undefined } : {}),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(Object.keys(hooks).length === 0 ? {} : { hooks }),
    ...(Object.keys(mcpServers).length === 0 ? {} : { mcpServers }),
    // Whether anybody answers is for the client to say.
    onElicitation: elicitByClient(requests),
    ...(asking === undefined
      ? {}
      : {
          canUseTool: askClient({
            ...asking,
            requests,
            timeout: request.permissionTimeout,
            mayBypass: request.allowBypass,
          }),
        }),
    ...(request.sessionMirror ? clientStore(requests, initialize['sessionStore']) : {}),
    ...(request.replayUserMessages ? { replayUserMessages: true } : {}),
    ...(resume === undefined ? {} : { resume }),
  };
  return {
    ...queryOptions(request, note),
    // A person who names the mode means it; a program consents beside it, as it does in process.
    allowDangerouslySkipPermissions: request.allowBypass,
    ...more,
    commandLifecycle: true,
  };
}

/** A beginning of an ID is looked for; a whole one is found by the query itself. */
async function resumedSession({ resume }: ChatRequest): Promise<string | undefined> {
  if (resume === undefined || resume.length === 36) return undefined;
  const { findSession } = await import('../sessions/find-session.ts');
  return (await findSession(resume)).sessionId;
}
