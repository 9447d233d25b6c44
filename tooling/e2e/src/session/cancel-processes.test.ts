import { createNodeRuntime } from '@rondo/runtime/node';
import { call, scriptedModel, temporaryBinding } from '@rondo/runtime/testing';
import { createLocalSandbox } from '@rondo/sandbox';
import { builtinTools } from '@rondo/tools';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPlace } from '../harness/place.ts';
import { written } from '../harness/written.ts';

test('session.cancel.localReturnsWhenReleased: when a cancel is answered the session has ended, and no process of it is left', async () => {
  using place = createPlace();
  const begun = join(place.folder, 'begun.txt');
  const command = `sleep 1000 & sleep 1000 & echo begun > ${begun}; wait`;
  const tools = [builtinTools.Bash];
  const env = Object.fromEntries(
    Object.entries(place.env()).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  const worker = scriptedModel([call('Bash', { command, timeout: 600_000 })]);
  await using temporary = await temporaryBinding({
    model: scriptedModel([call('agents.spawn', { agent: 'worker', task: 'wait' })]),
    tools,
    env,
    sandbox: createLocalSandbox(),
    subagents: [{ name: 'worker', description: 'Waits.', instructions: 'Wait.', model: worker }],
  });
  const runtime = createNodeRuntime({ home: place.home });
  const bindingId = runtime.bind(temporary.binding);
  const { sessionId } = await runtime.createSession({ bindingId });
  await runtime.startTurn({ sessionId, bindingId, content: [{ type: 'text', text: 'go' }] });
  expect(await written(begun)).toBe('begun\n');
  expect(place.processes()).not.toEqual([]);

  await runtime.cancelSession({ sessionId });
  expect(place.processes()).toEqual([]);
  const { sessions } = await runtime.listSessions({ scope: 'tree', root: sessionId });
  expect(sessions.map(({ status }) => status)).toEqual(['terminated', 'terminated']);
  // Its log is nobody's, so that it can be removed.
  await runtime.deleteSession(sessionId);
  expect(existsSync(join(place.home, 'sessions', sessionId))).toBe(false);
  await runtime.close();
});
