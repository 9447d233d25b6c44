import { resolveModel } from '@rondo/providers';
import {
  askModel,
  mute,
  reply,
  reset,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
  type Step,
  type StreamFault,
} from '@rondo/providers/testing';
import { isRondoError } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import { wireKey, wires } from './wires.ts';

const blocks = [thinking('I look.'), text('I will look at 世界.'), toolCall('Read', { file_path: '/a' })];
const broken = (fault: StreamFault): Step => reply(blocks, { fault });

const brokenOff = /^model\.(stream_broken|connection_failed)$/;

const timeout = /^model\.timeout$/;

const cuts = (['close', 'reset', 'end'] as const).flatMap((how) =>
  (['headers', { events: 1 }, { halfEvent: 3 }, 'first-tool-call'] as const).map(
    (after) => [`${how} after ${JSON.stringify(after)}`, broken({ type: 'cut', after, how }), brokenOff] as const,
  ),
);

const faults: readonly (readonly [string, Step, RegExp])[] = [
  ['status 400', status(400), /^model\.request_invalid$/],
  ['status 401', status(401), /^model\.authentication_failed$/],
  ['status 403', status(403), /^model\.permission_denied$/],
  ['status 404', status(404), /^model\.not_found$/],
  ['status 413', status(413), /^model\.prompt_too_long$/],
  ['status 429', status(429, { retryAfter: 3 }), /^model\.rate_limited$/],
  ['status 500', status(500), /^model\.server_error$/],
  ['status 503', status(503), /^model\.(server_error|overloaded)$/],
  ['status 529', status(529), /^model\.overloaded$/],
  ['a status with a page of some proxy', status(502, { body: '<html>bad gateway</html>' }), /^model\.server_error$/],
  ['a connection reset before any answer', reset(), /^model\.connection_failed$/],
  ['no answer', mute(), timeout],
  ['silence after the headers', broken({ type: 'silence', after: 'headers' }), timeout],
  ['silence in the middle', broken({ type: 'silence', after: { halfEvent: 2 } }), timeout],
  ['an event that is no JSON', broken({ type: 'bad_json', event: 2 }), /^model\.stream_broken$/],
  [
    'an error in the stream',
    broken({ type: 'error', after: { events: 2 }, error: { type: 'overloaded_error', message: 'too busy' } }),
    /^model\.(overloaded|server_error)$/,
  ],
  ...cuts,
];

describe.each(wires)('issue 3, accept 1: faults on $name', (wire) => {
  test.concurrent.each(faults)(
    '%s is one error of its kind, and a second try can go well',
    async (_name, fault, code) => {
      const server = await startModelServer({ script: [fault, text('at last')], apiKey: wireKey });
      const env = wire.env(server.url);
      // Only a silence is waited for: on a busy machine a second is soon gone.
      const hasty = { ...env, API_TIMEOUT_MS: '1000', CLAUDE_STREAM_IDLE_TIMEOUT_MS: '1000' };
      const patient = await resolveModel(wire.model, { env });
      const model = code.source === timeout.source ? await resolveModel(wire.model, { env: hasty }) : patient;
      const { error } = await askModel(model);
      if (!isRondoError(error)) throw new Error(`no error of ours: ${String(error)}`);
      expect(error.code).toMatch(code);
      expect(JSON.stringify({ message: error.message, details: error.details, stack: error.stack })).not.toContain(
        wireKey,
      );
      if (error.code === 'model.rate_limited')
        expect(error.details).toMatchObject({ status: 429, retryAfterMs: 3_000 });
      expect((await askModel(patient)).text).toBe('at last');
      await server.close();
    },
  );
});
