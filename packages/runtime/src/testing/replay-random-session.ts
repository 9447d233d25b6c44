import type { AnyEvent } from '@rondo/protocol';
import { replaySession } from '../replay/replay-session.ts';
import type { Divergence, ReplayReport } from '../replay/replay-report.ts';
import { playRandomSession, type RandomSession } from './random-session.ts';
import { storedEvents } from './session-scene.ts';
import { sha256 } from './temporary-binding.ts';

export interface FalseDivergence {
  readonly divergence: Divergence;
  readonly isBound: boolean;
  readonly events: readonly AnyEvent[];
}

/**
 * Plays a random session and replays its log and those of its forks, strictly, with the agent and without. Gives what
 * goes another way, which nothing should.
 */
export async function replayRandomSession(
  seed: number,
  options: { readonly isWide?: boolean; readonly mayFail?: boolean } = {},
): Promise<FalseDivergence[]> {
  const found: FalseDivergence[] = [];
  async function replay({ scene, store }: RandomSession, sessionId: string): Promise<void> {
    const events = await storedEvents(store, sessionId);
    const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
    for (const bound of [{}, { binding: scene.binding }]) {
      const { divergence } = await replaySession({ sessionId, events, readBlob, sha256, ...bound });
      if (divergence !== undefined) found.push({ divergence, isBound: 'binding' in bound, events });
    }
  }
  const session = await playRandomSession(seed, { mayFail: seed % 3 === 0, ...options, onFork: replay });
  await replay(session, session.scene.sessionId);
  await session.scene.runtime.close();
  return found;
}

/**
 * Plays a random session and has its own hooks and policy judge it again. Gives what they decide otherwise, which they
 * should not.
 */
export async function judgeRandomSession(
  seed: number,
  options: { readonly isWide?: boolean } = {},
): Promise<Pick<ReplayReport, 'divergence' | 'changes' | 'hookChanges' | 'hookRuns'>> {
  const { world, scene, store } = await playRandomSession(seed, { mayFail: seed % 3 === 0, ...options });
  const { sessionId, binding } = scene;
  world.isJudged = true;
  const events = await storedEvents(store, sessionId);
  const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
  const report = await replaySession({ sessionId, events, readBlob, sha256, binding, mode: 'behavioural' });
  await scene.runtime.close();
  return report;
}
