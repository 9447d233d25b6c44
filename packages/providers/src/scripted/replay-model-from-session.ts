import { resolve } from 'node:path';
import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { EventStore } from '@rondo/runtime';
import { createReplayModel, type ReplayModel, type ReplayModelOptions } from './create-replay-model.ts';
import { recordedExchanges, type RecordedExchange } from './recorded-exchanges.ts';

export interface ReplaySource {
  /** The folder of the session now, and the one that a relative path is under. */
  readonly cwd?: string | undefined;
  /** Where the session is looked for by its ID. */
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * The model of a recorded session: its ID or the beginning of one, or the path of a log. Behind a `?` may stand
 * `match=prompts`, `retries=play` and `unused=error`.
 * @throws RondoError `session.not_found`, `input.invalid`.
 */
export async function replayModelFromSession(reference: string, source: ReplaySource = {}): Promise<ReplayModel> {
  const { cwd = process.cwd() } = source;
  const mark = reference.lastIndexOf('?');
  const session = mark === -1 ? reference : reference.slice(0, mark);
  const options = mark === -1 ? {} : readOptions(reference.slice(mark + 1), reference);
  const exchanges = isPath(session) ? await ofFile(resolve(cwd, session)) : await ofStore(session, source);
  return createReplayModel(exchanges, { name: `replay/${session}`, cwd, ...options });
}

const settable = {
  match: ['all', 'prompts', 'none'],
  retries: ['play', 'skip'],
  unused: ['ignore', 'error'],
} as const;

function readOptions(query: string, reference: string): Partial<ReplayModelOptions> {
  const given: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const values: readonly string[] = Object.hasOwn(settable, name) ? settable[name as keyof typeof settable] : [];
    if (!values.includes(value)) {
      const [nearest] = nearestNames(name, Object.keys(settable));
      const way =
        values.length > 0
          ? `it takes ${values.join(', ')}`
          : `did you mean ${nearest ?? Object.keys(settable).join(', ')}?`;
      throw new RondoError(
        'input.invalid',
        `replay/${reference}: ${name}=${value} is nothing that can be said of a replay; ${way}`,
      );
    }
    given[name] = value;
  }
  return given as Partial<ReplayModelOptions>;
}

function isPath(session: string): boolean {
  return session.includes('/') || session.endsWith('.jsonl');
}

async function ofFile(path: string): Promise<RecordedExchange[]> {
  const { openLogFile } = await import('@rondo/runtime/node');
  const log = await openLogFile(path);
  return recordedExchanges(log.read(), log.readBlob);
}

async function ofStore(reference: string, { home, env = process.env }: ReplaySource): Promise<RecordedExchange[]> {
  const { createFileStore, resolveHome } = await import('@rondo/runtime/node');
  const store = createFileStore({ home: home ?? resolveHome(env) });
  try {
    const sessionId = await wholeId(store, reference);
    return await recordedExchanges(store.read(sessionId), (hash) => store.blobs(sessionId).read(hash));
  } finally {
    await store.close();
  }
}

async function wholeId(store: EventStore, reference: string): Promise<string> {
  if ((await store.describe(reference)) !== undefined) return reference;
  const found: string[] = [];
  let before: string | undefined;
  do {
    const page = await store.list({ limit: 1000, ...(before !== undefined && { before }) });
    for (const { sessionId } of page.sessions)
      if (reference !== '' && sessionId.startsWith(reference)) found.push(sessionId);
    before = page.next;
  } while (before !== undefined && found.length < 2);
  const [only, second] = found;
  if (only !== undefined && second === undefined) return only;
  const problem = only === undefined ? 'rondo sessions list shows them' : 'several sessions begin like that';
  throw new RondoError('session.not_found', `There is no session ${reference}: ${problem}.`, {
    details: { sessionId: reference },
  });
}
