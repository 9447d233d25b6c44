import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyEvent, ModelUsage, SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { catalogModel, resolveModel } from '@rondo/providers';
import {
  reply,
  reset,
  startModelServer,
  status,
  text,
  toolCall,
  type RecordedRequest,
  type ReplyUsage,
  type ScriptBlock,
  type Step,
} from '@rondo/providers/testing';
import { createMemoryStore, createRuntime, modelCost } from '@rondo/runtime';
import { sha256, temporaryBinding } from '@rondo/runtime/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createProjection } from './message/project-message.ts';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { getSessionEvents } from './sessions/get-session-events.ts';

// As often as it takes here, and at once.
vi.mock('./options/model-retries.ts', () => ({
  modelRetries: () => ({ maxRetries: 2, baseDelayMs: 0, maxDelayMs: 0, jitter: 0 }),
}));

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-ledger-'));
  await writeFile(join(root, 'a.txt'), 'a\n');
});
afterAll(() => rm(root, { recursive: true, force: true }));

type Tokens = Pick<
  ModelUsage,
  'inputTokens' | 'outputTokens' | 'cacheReadInputTokens' | 'cacheCreationInputTokens' | 'costUSD'
>;

/** What a vendor would bill: each request as its server ended it, by the model that was asked. */
function createBill() {
  const models: Record<string, Tokens> = {};
  return {
    models,
    add(model: string, usage: Required<Omit<ReplyUsage, 'cache_creation'>>): void {
      const sum = (models[model] ??= {
        inputTokens: 0,
        outputTokens: 0,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        costUSD: 0,
      });
      const counted = {
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheReadInputTokens: usage.cache_read_input_tokens,
        cacheCreationInputTokens: usage.cache_creation_input_tokens,
      };
      for (const [name, tokens] of Object.entries(counted)) sum[name as keyof typeof counted] += tokens;
      sum.costUSD += modelCost(counted, catalogModel('anthropic', model)?.price) ?? Number.NaN;
    },
  };
}

/** What requests were for, in all runs together. */
const purposes = new Set<string>();

interface Server {
  /** 0 to 1, the same in every run of a seed. */
  readonly random: () => number;
  readonly bill: ReturnType<typeof createBill>;
  /** The next request of a turn is answered by halves until this is settled. */
  hold?: Promise<unknown> | undefined;
}

/** What a request is for, as far as it shows. */
function purposeOf({ text: asked }: RecordedRequest): 'turn' | 'suggestion' | 'hook' | 'classifier' {
  if (asked.includes('This message is not from the person')) return 'suggestion';
  if (asked.includes('Is this fine?')) return 'hook';
  return asked.includes('You are being counted.') ? 'turn' : 'classifier';
}

/** Says and breaks whatever it likes, and writes down what that costs. */
function answer(server: Server, request: RecordedRequest): Step {
  const { random, bill } = server;
  const purpose = purposeOf(request);
  purposes.add(purpose);
  const { model } = request.body as { readonly model: string };
  const tokens = (most: number): number => Math.floor(random() * most);
  const usage = {
    input_tokens: 1 + tokens(500),
    output_tokens: 2 + tokens(300),
    cache_read_input_tokens: tokens(100),
    cache_creation_input_tokens: tokens(100),
  };
  const chance = random();
  if (purpose === 'turn' && server.hold !== undefined) {
    const until = server.hold;
    server.hold = undefined;
    bill.add(model, { ...usage, output_tokens: 1 });
    return reply(text(['half ', until, 'and half']), { usage });
  }
  if (purpose !== 'classifier' && chance < 0.08) return status(529);
  if (purpose !== 'classifier' && chance < 0.12) return status(500);
  if (purpose !== 'classifier' && chance < 0.15) return reset();
  const said = blockFor(purpose, random);
  if (purpose !== 'classifier' && chance < 0.25) {
    // The beginning of a stream says what the prompt costs; of the reply nobody is told any more.
    bill.add(model, { ...usage, output_tokens: 1 });
    const after = { events: 2 };
    const error = { type: 'overloaded_error', message: 'busy' };
    const fault =
      chance < 0.2 ? ({ type: 'cut', after, how: 'close' } as const) : ({ type: 'error', after, error } as const);
    return reply(said, { usage, fault });
  }
  bill.add(model, usage);
  return reply(said, { usage });
}

function blockFor(purpose: ReturnType<typeof purposeOf>, random: () => number): ScriptBlock {
  const chance = random();
  if (purpose === 'hook') return text(chance < 0.9 ? '{"ok": true}' : '{"ok": false, "reason": "no"}');
  if (purpose === 'suggestion') return text(chance < 0.5 ? 'Go on.' : 'NONE');
  if (purpose === 'classifier') return text('{"decision":"deny","reason":"no"}');
  if (chance < 0.3) return toolCall('Read', { file_path: 'a.txt' });
  if (chance < 0.45) return toolCall('Bash', { command: 'git init somewhere' });
  return text(chance < 0.7 ? 'not what was asked for' : '{"done":true}');
}

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function optionsFor(url: string, home: string): Options {
  return {
    model: 'anthropic/claude-sonnet-5-5',
    fallbackModel: 'anthropic/claude-haiku-5-5',
    systemPrompt: 'You are being counted.',
    home,
    cwd: root,
    tools: ['Read', 'Bash'],
    env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url, PATH: process.env['PATH'] },
    permissionMode: 'auto',
    promptSuggestions: true,
    maxTurns: 8,
    settings: { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'prompt', prompt: 'Is this fine?' }] }] } },
    outputFormat: {
      type: 'json_schema',
      schema: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] },
    },
  };
}

/** One message, as a stream: it may be interrupted. */
async function* go(): AsyncGenerator<SDKUserMessage> {
  yield await Promise.resolve({ type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null });
}

/** Everything that a query says, however it ends. */
async function run(options: Options, onLine: (line: SDKMessage, running: ReturnType<typeof query>) => void) {
  const running = query({ prompt: go(), options });
  let sessionId = '';
  for await (const line of running) {
    sessionId = line.session_id ?? sessionId;
    onLine(line, running);
  }
  return sessionId;
}

/** What the logs say was used, by model: each session's own, added up. */
async function ledgerOf(sessions: ReadonlyMap<string, readonly AnyEvent[]>): Promise<Record<string, Tokens>> {
  const sums: Record<string, Tokens> = {};
  for (const [sessionId, events] of sessions) {
    const projection = createProjection({ sessionId });
    for (const event of events) projection.push(event);
    for (const [model, used] of Object.entries(projection.state.modelUsage)) {
      const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, costUSD } = used;
      const own: Tokens = { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, costUSD };
      const sum = sums[model];
      sums[model] =
        sum === undefined
          ? own
          : {
              inputTokens: sum.inputTokens + own.inputTokens,
              outputTokens: sum.outputTokens + own.outputTokens,
              cacheReadInputTokens: sum.cacheReadInputTokens + own.cacheReadInputTokens,
              cacheCreationInputTokens: sum.cacheCreationInputTokens + own.cacheCreationInputTokens,
              costUSD: sum.costUSD + own.costUSD,
            };
    }
    const total = Object.values(projection.state.modelUsage).reduce((sum, { costUSD }) => sum + costUSD, 0);
    expect(projection.state.totalCostUsd).toBeCloseTo(total, 9);
  }
  return await Promise.resolve(sums);
}

function expectSame(ledger: Record<string, Tokens>, bill: Record<string, Tokens>): void {
  expect(Object.keys(ledger).sort()).toEqual(Object.keys(bill).sort());
  for (const [model, { costUSD, ...tokens }] of Object.entries(bill)) {
    expect(ledger[model]).toMatchObject(tokens);
    expect(ledger[model]?.costUSD).toBeCloseTo(costUSD, 9);
  }
}

const action = fc.constantFrom('turn', 'resume', 'fork', 'interrupt');

test('issue 6, accept 7: the ledger is the bill, over retries, fallbacks, refused answers, hooks, judges, suggestions, resumes, forks and interrupts', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(action, { minLength: 2, maxLength: 5 }), async (seed, actions) => {
      homes += 1;
      const home = join(root, `home-${homes}`);
      const server: Server = { random: randomFrom(seed), bill: createBill() };
      await using served = await startModelServer({ script: (request) => answer(server, request) });
      const options = optionsFor(served.url, home);
      const sessionIds = new Set<string>();
      let last: string | undefined;
      for (const each of actions) {
        const goesOn: Options =
          each === 'turn' || last === undefined
            ? {}
            : { resume: last, ...(each === 'fork' ? { forkSession: true } : {}) };
        const gate = Promise.withResolvers<undefined>();
        if (each === 'interrupt') server.hold = gate.promise;
        const more = each === 'interrupt' ? { includePartialMessages: true } : {};
        last = await run({ ...options, ...goesOn, ...more }, (line, running) => {
          if (each !== 'interrupt' || line.type !== 'stream_event' || line.event.type !== 'content_block_delta') return;
          void running.interrupt().then(() => gate.resolve(undefined));
        });
        gate.resolve(undefined);
        server.hold = undefined;
        sessionIds.add(last);
      }
      const logs = new Map<string, AnyEvent[]>();
      for (const id of sessionIds) {
        const events: AnyEvent[] = [];
        for await (const event of getSessionEvents(id, { home })) events.push(event);
        logs.set(id, events);
      }
      expectSame(await ledgerOf(logs), server.bill.models);
    }),
    { numRuns: 8 },
  );
});

test('issue 6, accept 7: a session pays for its subagents, of every depth, at once and one by one', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const server: Server = { random: randomFrom(seed), bill: createBill() };
      await using served = await startModelServer({ script: (request) => delegate(server, request) });
      const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: served.url };
      const [model, small] = await Promise.all(
        ['anthropic/claude-sonnet-5-5', 'anthropic/claude-haiku-5-5'].map((name) => resolveModel(name, { env })),
      );
      if (model === undefined || small === undefined) throw new Error('no models');
      const deep = { name: 'deep', description: 'Goes deep.', instructions: 'You are deep.', model };
      const middle = {
        name: 'middle',
        description: 'Delegates.',
        instructions: 'You are in the middle.',
        model: small,
      };
      await using temporary = await temporaryBinding({
        model,
        subagents: [deep, { ...middle, subagents: [deep] }],
        policy: { allowedTools: ['agents.spawn'] },
      });
      const store = createMemoryStore();
      const runtime = createRuntime({ store, sha256 });
      const bindingId = runtime.bind(temporary.binding);
      const { sessionId } = await runtime.createSession({ bindingId });
      const content = [{ type: 'text' as const, text: 'go' }];
      await runtime.startTurn({ sessionId, bindingId, content });
      const { signal } = new AbortController();
      for await (const batch of runtime.subscribe(sessionId, { signal }))
        if (batch.some(({ type }) => type === 'turn.ended')) break;
      const events: AnyEvent[] = [];
      for await (const event of store.read(sessionId)) events.push(event);
      await runtime.close();
      expectSame(await ledgerOf(new Map([[sessionId, events]])), server.bill.models);
      const ended = createProjection({ sessionId });
      const lines = events.flatMap((event) => ended.push(event));
      const total = Object.values(server.bill.models).reduce((sum, { costUSD }) => sum + costUSD, 0);
      const result = lines.find(({ type }) => type === 'result');
      expect((result as { readonly total_cost_usd?: number } | undefined)?.total_cost_usd).toBeCloseTo(total, 9);
    }),
    { numRuns: 10 },
  );
});

/** Lets others do the work, or answers; now and then it breaks. */
function delegate({ random, bill }: Server, { body, text: asked }: RecordedRequest): Step {
  const { model, tools = [] } = body as {
    readonly model: string;
    readonly tools?: readonly { readonly name: string }[];
  };
  const usage = {
    input_tokens: 1 + Math.floor(random() * 500),
    output_tokens: 2 + Math.floor(random() * 300),
    cache_read_input_tokens: Math.floor(random() * 100),
    cache_creation_input_tokens: 0,
  };
  if (random() < 0.1) return status(529);
  bill.add(model, usage);
  const spawn = tools.find(({ name }) => name.includes('spawn'))?.name;
  if (spawn === undefined || random() < 0.4) return reply(text('done'), { usage });
  const agents = asked.includes('You are in the middle.') ? ['deep'] : ['deep', 'middle'];
  const calls = Array.from({ length: 1 + Math.floor(random() * 2) }, () => {
    const agent = agents[Math.floor(random() * agents.length)] ?? 'deep';
    return toolCall(spawn, { agent, task: 'do it' });
  });
  return reply(calls, { usage });
}
