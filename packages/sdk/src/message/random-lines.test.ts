import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SDKMessage } from '@rondo/protocol';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { packageVersion } from '../package-version.ts';
import { getSessionEvents } from '../sessions/get-session-events.ts';
import { getSessionMessages } from '../sessions/get-session-messages.ts';
import { replaySession } from '../sessions/replay-session.ts';
import { assertLineOrder } from '../order/line-order.ts';
import {
  holdConversation,
  type Held,
  randomConversation,
  type RandomConversation,
} from '../testing/random-conversation.ts';
import { createProjection } from './project-message.ts';

const root = mkdtempSync(join(tmpdir(), 'rondo-random-lines-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let places = 0;

function place() {
  places += 1;
  const cwd = mkdtempSync(join(root, `work-${places}-`));
  writeFileSync(join(cwd, 'a.txt'), 'alpha\n');
  return { cwd, home: join(root, `home-${places}`) };
}

/** What is shown and not stored. */
const shownOnly: ReadonlySet<string> = new Set(['thinking_tokens', 'hook_progress']);
const isStored = (line: SDKMessage): boolean =>
  line.type !== 'stream_event' && line.type !== 'tool_progress' && !('subtype' in line && shownOnly.has(line.subtype));

/** The lines that the stored log means, from its first event on. */
async function projected({ options }: RandomConversation, sessionId: string, home: string, tools: readonly string[]) {
  const projection = createProjection({ ...options, sessionId, tools, version: packageVersion });
  const lines: SDKMessage[] = [];
  for await (const event of getSessionEvents(sessionId, { home })) lines.push(...projection.push(event));
  return lines.filter(isStored);
}

/** As a reader of another process has them: what a model's limits are is no part of a log. */
function comparable(lines: readonly SDKMessage[]): unknown[] {
  return lines.filter(isStored).map((line) => (line.type === 'result' ? { ...line, modelUsage: {} } : line));
}

function toolsOf({ lines }: Held): readonly string[] {
  return lines.flatMap((line) => (line.type === 'system' && line.subtype === 'init' ? line.tools : [])).slice(0, 4);
}

test('lines of any conversation are in order, fit their schemas, and are the same from the log, resumed and replayed', async () => {
  const property = fc.asyncProperty(randomConversation, randomConversation, async (first, more) => {
    const { cwd, home } = place();
    const live = await holdConversation(first, { cwd, home });
    assertLineOrder(live.lines);
    for (const line of live.lines) expect(SDKMessage.parse(line)).toEqual(line);
    const { sessionId } = live;
    const stored = await projected(first, sessionId, home, toolsOf(live));
    expect(comparable(stored)).toEqual(comparable(live.lines));

    const second = { turns: more.turns, options: first.options };
    const resumed = await holdConversation(second, { cwd, home, resume: sessionId });
    assertLineOrder(resumed.lines, { resumed: true });
    expect(resumed.sessionId).toBe(sessionId);
    const all = comparable([...live.lines, ...resumed.lines]);
    expect(comparable(await projected(first, sessionId, home, toolsOf(live)))).toEqual(all);

    const said = [...live.lines, ...resumed.lines].filter(({ type }) => type === 'user' || type === 'assistant');
    const messages = await getSessionMessages(sessionId, { home });
    const known = new Set(messages.map(({ uuid }) => uuid));
    expect(said.filter(({ uuid }) => uuid !== undefined && !known.has(uuid))).toEqual([]);
    if (first.options.replayUserMessages === true)
      expect(messages.map(({ uuid }) => uuid)).toEqual(said.map(({ uuid }) => uuid));

    expect((await replaySession(sessionId, { home })).divergence).toBeUndefined();
    expect(comparable(await projected(first, sessionId, home, toolsOf(live)))).toEqual(all);
  });
  await fc.assert(property, { numRuns: 12 });
}, 120_000);
