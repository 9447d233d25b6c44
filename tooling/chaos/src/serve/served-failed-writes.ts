import assert from 'node:assert/strict';
import { isRondoError } from '@rondo/protocol/values';
import type { DiskOperation } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertTold } from './assert-told.ts';
import { type PoweredHost, type PoweredHostOptions, startPoweredHost } from './powered-host.ts';
import { bindingId } from './served-agent.ts';
import { liveServedStory, sessionId, type ServedStoryOptions } from './served-story.ts';

type Attempt = NonNullable<ServedStoryOptions['attempt']>;

const fallible: ReadonlySet<DiskOperation> = new Set(['write', 'sync', 'syncDirectory']);
const codes = ['EIO', 'ENOSPC'] as const;

/** What whoever is told of a failed write does before trying again. */
const waysOn: Readonly<Record<string, (host: PoweredHost) => Attempt>> = {
  'the session is opened again': () => (what, client) =>
    untilWritten(
      () => what(client),
      async () => {
        try {
          await client.openSession(sessionId, { bindingId, unfinished: 'continue' });
        } catch (error) {
          // Nothing of it had been accepted.
          if (!isRondoError(error, 'session.not_found')) throw error;
        }
      },
    ),
  'the power goes off': (host) => {
    let isOff = false;
    return (what, client) =>
      untilWritten(
        () => what(client),
        () => {
          if (!isOff) host.cutPower();
          isOff = true;
          return Promise.resolve();
        },
      );
  },
};

/** Each write and each sync of a host that serves fails once: its clients are told, and go on when the session is open again. */
export const servedFailedWrites: ChaosFamily = {
  name: 'failed writes of a host that serves',
  atOnce: 1,
  async cases() {
    const whole = await startPoweredHost({});
    await liveServedStory(whole);
    await whole.end();
    return Array.from({ length: fallibleOf(whole) }, (_, call) =>
      codes.flatMap((code) => Object.keys(waysOn).map((way) => failureAt({ call, code }, way))),
    ).flat();
  },
};

function failureAt(failure: NonNullable<PoweredHostOptions['failure']>, way: string): ChaosCase {
  return {
    name: `write or sync ${failure.call} of a host that serves fails with ${failure.code}, and ${way}`,
    async run() {
      const host = await startPoweredHost({ failure });
      let isTold = false;
      const goOn = waysOn[way]?.(host);
      assert.ok(goOn !== undefined);
      try {
        const told = await liveServedStory({
          ...host,
          oneByOne: true,
          attempt: (what, client) =>
            goOn(async (given) => {
              try {
                return await what(given);
              } catch (error) {
                isTold ||= isRondoError(error, 'session.write_failed');
                throw error;
              }
            }, client),
        });
        assertTold(await host.end(), told, host.charges);
        assert.equal(isTold, fallibleOf(host) > failure.call, 'nobody was told that a write failed');
      } catch (error) {
        await host.end().catch(() => {});
        throw error;
      }
    },
  };
}

/** Does it again as long as it ends in a failed write, after the way on was gone. */
async function untilWritten<Result>(what: () => Promise<Result>, goOn: () => Promise<void>): Promise<Result> {
  for (;;) {
    try {
      return await what();
    } catch (error) {
      if (!isRondoError(error, 'session.write_failed')) throw error;
      await goOn();
    }
  }
}

/** How many calls of the host's first life could fail. */
function fallibleOf({ lives }: PoweredHost): number {
  return (lives[0]?.operations ?? []).filter((operation) => fallible.has(operation)).length;
}
