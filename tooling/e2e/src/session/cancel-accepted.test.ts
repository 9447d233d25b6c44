import { connect } from '@rondo/client';
import type { Runtime } from '@rondo/runtime';
import { stall } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { collect, stage, start } from './session-stage.ts';
import { wires } from './wires.ts';

describe.each(wires)('over $name', (wire) => {
  test('session.cancel.deployedReturnsOnAcceptance: a host that accepts it may end the session in its own time', async () => {
    await using at = await stage(wire, [stall()]);
    const gate = Promise.withResolvers<void>();
    const ending = Promise.withResolvers<unknown>();
    const slow: Runtime = {
      ...at.runtime,
      cancelSession(params) {
        ending.resolve(gate.promise.then(async () => await at.runtime.cancelSession(params)));
        return Promise.resolve({});
      },
    };
    const served = await wire.serve(slow, () => {});
    try {
      const client = connect(await served.open(), { place: 'slow' });
      const { id } = await client.createSession({ bindingId: at.bindingId });
      const session = client.session(id, { bindingId: at.bindingId });
      const turn = await start(session, 'wait');
      await session.cancel();
      expect(await session.read()).toMatchObject({ status: 'running', activeTurnId: turn.id });

      const following = collect(session.events());
      gate.resolve();
      await ending.promise;
      expect((await following).at(-1)).toMatchObject({ type: 'session.updated', status: 'terminated' });
      expect(await turn.result()).toMatchObject({ type: 'interrupted', cause: 'cancelled' });
      expect(await session.read()).toMatchObject({ status: 'terminated' });
    } finally {
      await served.close();
    }
  });
});
