import type { Client, Session } from '@rondo/client';
import type { SDKMessage } from '@rondo/protocol';
import { createProjection, type Projection } from '../message/project-message.ts';
import type { ProjectionOptions } from '../message/projection-state.ts';
import type { Options } from '../options/options.ts';
import { packageVersion } from '../package-version.ts';
import { foldHistory } from './fold-history.ts';
import type { RunSession } from './open-session.ts';
import type { OpenRun } from './opened-run.ts';

export interface FollowOpenedOptions extends Pick<ProjectionOptions, 'modelLimits'> {
  readonly client: Client;
  /** The handle that the run steers it by. */
  readonly session: Session;
  readonly opened: RunSession;
  readonly options: Options;
  /** Names of the tools, but for those of servers. */
  readonly tools: readonly string[];
}

/** What a query shows of a session from where it goes on with it, wherever that is at work. */
export async function followOpened({
  client,
  session,
  opened,
  options,
  ...shown
}: FollowOpenedOptions): Promise<Omit<OpenRun, 'close' | 'watch'>> {
  const { after, openTurnId, parkedTurnId } = opened;
  const projection = createProjection({
    sessionId: session.id,
    includePartialMessages: options.includePartialMessages === true,
    includeHookEvents: options.includeHookEvents === true,
    replayUserMessages: options.replayUserMessages === true,
    sessionStates: options.sessionStates === true,
    ...(options.betas === undefined ? {} : { betas: options.betas }),
    version: packageVersion,
    ...shown,
  });
  const firstLines =
    after === undefined
      ? []
      : await begunLines({ client, sessionId: session.id, until: after }, projection, openTurnId);
  return {
    session,
    projection,
    firstLines,
    events: session
      .events({ deltas: shownKinds(options), ...(after === undefined ? {} : { after }) })
      [Symbol.asyncIterator](),
    ...(openTurnId === undefined ? {} : { openTurnId }),
    ...(parkedTurnId === undefined ? {} : { parkedTurnId }),
  };
}

async function begunLines(
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

/** What is shown and not stored, as far as lines are made of it: texts only for whoever asked for them piece by piece. */
function shownKinds({ includePartialMessages }: Options): boolean | readonly string[] {
  return includePartialMessages === true || ['hook.progress', 'reasoning.delta', 'tool.progress'];
}
