import type { AnyEvent, TurnRecord } from '@rondo/protocol';
import {
  compilePolicy,
  createRuntime,
  type Binding,
  type Clock,
  type EventStore,
  type Model,
  type Runtime,
} from '@rondo/runtime';
import { manualClock, refusingSandbox, scriptedModel, sha256 } from '@rondo/runtime/testing';
import { agentName, type nextPrompt, type storyPrompt, storyReply, type treePrompt } from './story-script.ts';
import { storyHook } from './story-hook.ts';
import { storyTools } from './story-tools.ts';
import type { World } from './world.ts';

export const sessionId = 'e0000000-0000-4000-8000-000000000001';
const folder = '/work';

/** What a story begins with. */
export type StoryPrompt = typeof storyPrompt | typeof treePrompt;

/** A runtime with the story's model and tools, as one process has them. */
export interface StoryEngine {
  readonly runtime: Runtime;
  readonly bindingId: string;
  /** Broken invariants of requests; empty when every request would be accepted. */
  readonly problems: readonly string[];
  /** Starts the story, or the turn after it, in a session that is there. */
  start(prompt: StoryPrompt | typeof nextPrompt): Promise<string>;
  /** Every event that a subscriber is shown, until the turn has ended. Rejects when the session fails. */
  watch(options: WatchOptions): Promise<void>;
  record(turnId: string): Promise<TurnRecord>;
}

export interface WatchOptions {
  readonly shown: (event: AnyEvent) => void;
  readonly signal: AbortSignal;
  /** Ends the watch behind this turn's end. Absent: behind the first turn's. */
  readonly turnId?: string;
}

export interface StoryEngineOptions {
  readonly store: EventStore;
  readonly world: World;
  /** Which process of the session's life this is: its IDs are its own. */
  readonly generation: number;
  /** In place of the scripted one. */
  readonly model?: Model;
  /** In place of one that stands still, on which a retry would wait for ever. */
  readonly clock?: Clock;
}

export function createStoryEngine(options: StoryEngineOptions): StoryEngine {
  const { store, world, generation, model, clock = manualClock() } = options;
  const problems: string[] = [];
  let ids = 0;
  const runtime = createRuntime({
    store,
    sha256,
    clock,
    random: () => 0,
    newId: () => `${generation}0000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
    host: { id: 'chaos', pid: generation },
  });
  const tools = storyTools(world);
  const binding: Binding = {
    agent: { name: 'story', fingerprint: 'story' },
    cwd: folder,
    model: model ?? storyModel(problems),
    system: 'You live a story.',
    tools,
    policy: compilePolicy({ directories: [folder], tools, allowedTools: tools.map((tool) => tool.name) }),
    hooks: [storyHook()],
    unattended: 'wait',
    sandbox: refusingSandbox,
    env: {},
    retry: { baseDelayMs: 0, maxDelayMs: 0, jitter: 0 },
    subagents: [{ name: agentName, description: 'Helps.', instructions: 'You help in a story.' }],
  };
  const bindingId = runtime.bind(binding);
  return {
    runtime,
    bindingId,
    problems,
    async start(prompt) {
      const content = [{ type: 'text' as const, text: prompt }];
      const outcome = await runtime.startTurn({ sessionId, bindingId, content });
      if (outcome.type !== 'started') throw new Error(`the session is ${outcome.type}`);
      return outcome.turnId;
    },
    async watch({ shown, signal, turnId }) {
      for await (const batch of runtime.subscribe(sessionId, { signal })) {
        let over = false;
        for (const event of batch) {
          if (!('id' in event)) continue;
          shown(event);
          over ||= event.type === 'turn.ended' && (turnId === undefined || event.turnId === turnId);
        }
        if (over) return;
      }
    },
    record: (turnId) => runtime.readTurn({ sessionId, turnId }),
  };
}

/** Checks each request as strictly as any provider, and answers it from the script. */
function storyModel(problems: string[]): Model {
  const name = 'scripted/model';
  return {
    name,
    stream(request, options) {
      const one = scriptedModel([storyReply(request.messages)], { name });
      try {
        return one.stream(request, options);
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
}
