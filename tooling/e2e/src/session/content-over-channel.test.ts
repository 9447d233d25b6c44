import { say } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { collect, stage } from './session-stage.ts';
import { wires } from './wires.ts';

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each(wires)('over $name', (wire) => {
  test.each([
    ['content.text.metaNeverSeenByModel', { type: 'text', text: 'seen' }],
    ['content.image.meta', { type: 'image', uri: png, altText: 'seen' }],
    ['content.audio.meta', { type: 'audio', uri: 'data:audio/wav;base64,AAAA' }],
    ['content.resourceLink.meta', { type: 'resource_link', uri: 'file:///seen', name: 'seen' }],
    ['content.embedded.meta', { type: 'embedded_resource', uri: 'file:///seen', text: 'seen' }],
  ] as const)('%s: the client reads it, the model does not, and it is an object', async (_row, block) => {
    await using at = await stage(wire, [say('ok')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const marked = { ...block, meta: { trace: 'marker-of-meta' } };
    const record = await session.run([{ type: 'text', text: 'look' }, marked]);
    if (record.type !== 'completed') throw new Error(`it is ${record.type}`);
    const requests = JSON.stringify(at.model.requests);
    expect(requests).toContain('look');
    expect(requests).not.toContain('marker-of-meta');
    const events = await collect(session.turn(record.turnId).events());
    const said = events.flatMap((event) =>
      event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.role === 'user'
        ? event.entry.content
        : [],
    );
    expect(said).toContainEqual(marked);
    for (const meta of ['x', 7, [1]]) {
      const refused = Reflect.apply(session.run, undefined, [[{ ...block, meta }]]);
      await expect(refused).rejects.toBeInstanceOf(TypeError);
    }
  });
});
