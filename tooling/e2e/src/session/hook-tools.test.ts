import { clientTool, connect } from '@rondo/client';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { agentBindingId, loadAgents } from '@rondo/sdk/host';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect, stage } from './session-stage.ts';
import { wires } from './wires.ts';

const given = Symbol.for('rondo.e2e.hookTools');
/** Would refuse anything but a path, if a handle held results against it. */
const pick = clientTool({
  name: 'pick',
  description: 'Picks a file.',
  inputSchema: { type: 'object' },
  outputSchema: {
    '~standard': { version: 1, vendor: 'rondo', validate: () => ({ issues: [{ message: 'it is no path' }] }) },
  },
});
const answers = ['text', 7, null, [1, { a: null }], { path: 7 }];

describe.each(wires)('over $name', (wire) => {
  test('answer.clientTool.hookToolUnchecked: any JSON answers a tool that a hook brought, and arrives as it is', async () => {
    const steps = [...answers.map(() => call('pick')), say('done')];
    const model = scriptedModel(steps);
    const folder = mkdtempSync(join(tmpdir(), 'rondo-hook-tools-'));
    try {
      const definition = { name: 'clerk', model, hooks: [{ name: 'picker', tools: [pick], preAgentTurn: () => {} }] };
      Object.defineProperty(globalThis, given, { value: definition, configurable: true });
      writeFileSync(join(folder, 'clerk.mjs'), `export default globalThis[Symbol.for('rondo.e2e.hookTools')];\n`);
      const [clerk] = await loadAgents(folder, { home: folder, env: {} });
      if (clerk === undefined) throw new Error('no agent');
      await using at = await stage(wire, []);
      at.runtime.bind(clerk.binding, agentBindingId(clerk.name));

      const session = await connect(await at.open(), { place: 'desk' })
        .agent('clerk')
        .startSession();
      let state = await session.run('go');
      if (state.type === 'busy') throw new Error('busy');
      const turn = session.turn(state.turnId);
      for (const answer of answers) {
        if (state.type !== 'blocked' || state.callbacks[0]?.type !== 'client_tool') throw new Error(state.type);
        const outcome = await turn.answer(state.callbacks[0].id, answer);
        expect(outcome).toMatchObject({ type: 'answered' });
        state = await turn.result({ after: state });
      }
      expect(state).toMatchObject({ type: 'completed', text: 'done' });
      const results = (await collect(session.history())).filter((item) => item.type === 'tool_result');
      expect(results.map(({ result }) => result)).toEqual(answers);
    } finally {
      Reflect.deleteProperty(globalThis, given);
      rmSync(folder, { recursive: true });
    }
  });
});
