import type { AnyEvent } from '@rondo/protocol';
import { parentIdOf } from '../event/session-tree-id.ts';
import type { ReadBlob } from '../event/hydrate-event.ts';
import type { Binding } from '../turn/binding.ts';
import { createReplayFindings, laneFindings } from './lane-findings.ts';
import type { ReplayReport } from './replay-report.ts';
import { createSessionLane, type SessionLane } from './session-lane.ts';

export interface ReplaySessionOptions {
  readonly sessionId: string;
  /** The session's log, with its subagents'. */
  readonly events: AsyncIterable<AnyEvent> | Iterable<AnyEvent>;
  /** What was stored beside the log. */
  readonly readBlob: ReadBlob;
  readonly sha256: (text: string) => string;
  /**
   * `strict`: model, tools, decisions, IDs and clock are the log's, and every event has to be what it was.
   * `behavioural`: beside that, the binding's hooks and policy decide every place of the log again; requests may be others.
   * Those hooks really run, with what they would be given then; of what they keep and decide nothing is stored.
   */
  readonly mode?: 'strict' | 'behavioural';
  /** What the session's program runs it with: its tools and its policy. The model of it is never asked. */
  readonly binding?: Binding;
  /**
   * Whether the binding is that of then, so that the system prompt, the tools and the settings of every request are
   * compared too. Unless said, true where it replays strictly.
   */
  readonly isSameAgent?: boolean;
  /** Tools of the binding without an effect really run, and their results are compared. */
  readonly liveTools?: boolean;
  /** Where a path leads, for today's policy; as written when absent. */
  readonly resolvePath?: (path: string) => Promise<string>;
  readonly foldCase?: boolean;
}

/**
 * Runs the turns of a recorded session again, without a model, and says where they go another way than the log, if they
 * do. Nothing is written; no tool runs unless `liveTools` says so.
 */
export async function replaySession(options: ReplaySessionOptions): Promise<ReplayReport> {
  const {
    sessionId,
    mode = 'strict',
    binding,
    isSameAgent = mode === 'strict',
    liveTools = false,
    readBlob,
    sha256,
  } = options;
  const findings = createReplayFindings({ mode, runsTools: liveTools });
  const { resolvePath = (path) => Promise.resolve(path), foldCase = false } = options;
  const world = { readBlob, sha256, resolvePath, foldCase };
  const lanes = new Map<string, SessionLane>();
  let events = 0;
  if (binding === undefined || !isSameAgent) findings.note(unbound);
  for await (const event of options.events) {
    events += 1;
    let lane = lanes.get(event.sessionId);
    if (lane === undefined) {
      const parent = lanes.get(parentIdOf(event.sessionId) ?? '');
      const isRoot = event.sessionId === sessionId;
      const bindingOf = (agent: string | undefined) => (isRoot ? binding : parent?.subagentBinding(agent));
      lane = createSessionLane(event.sessionId, { world, bindingOf, isSameAgent, findings: laneFindings(findings) });
      lanes.set(event.sessionId, lane);
    }
    // Whoever takes the root takes the tree.
    const owned = event.type === 'session.acquired' ? lanes.values() : [lane];
    for (const one of owned) await one.take(event);
    if (findings.divergences.length > 0) break;
  }
  // What other sessions of the log had begun by then may have gone another way before.
  for (const lane of lanes.values()) await lane.end();
  const [divergence] = findings.divergences.sort((one, other) => one.seq - other.seq);
  return {
    sessionId,
    mode,
    events,
    ...findings.counts,
    ...(divergence === undefined ? {} : { divergence }),
    changes: findings.changes.sort((one, other) => one.seq - other.seq),
    hookChanges: findings.hookChanges.sort((one, other) => one.seq - other.seq),
    notes: [...findings.notes],
  };
}

const unbound =
  'the system prompt, the tools and the settings of the agent are not in the log: their hashes are taken as recorded';
