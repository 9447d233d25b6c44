import { type Client, connect } from '@rondo/client';
import { listen } from '@rondo/host/node';
import type { AnyEvent } from '@rondo/protocol';
import { createFileStore, createNodeRuntime } from '@rondo/runtime/node';
import { createPowerCutFileSystem, manualClock, type PowerCutFileSystem, type PowerLoss } from '@rondo/runtime/testing';
import { bindingId, servedAgent } from './served-agent.ts';
import { sessionId } from './served-story.ts';
import { openSteadyPort } from './steady-port.ts';

const home = '/home/user/.rondo';
const callsInFlight = 3;
/** A story that nobody goes on with is over by then, many times what one takes: its clients are closed, and say so. */
const STORY_BOUND_MS = 60_000;

/** When the power goes off in a life of the host, and what that spares, of so many bytes that were not synced. */
export interface PowerCut {
  readonly operation: number;
  readonly loss: (unsyncedBytes: number) => PowerLoss;
}

export interface PoweredHostOptions {
  /** Of one life after the other; in those behind the last the power stays. */
  readonly cuts?: readonly PowerCut[];
  /** A write or sync of the first life that fails. */
  readonly failure?: { readonly call: number; readonly code: 'EIO' | 'ENOSPC' };
}

/** A host over a disk whose power fails, which comes back each time with what is left, at the same address. */
export interface PoweredHost {
  connect(): Client;
  /** What must not happen twice, each time that it happened. */
  readonly charges: readonly number[];
  /** The disk of each life. */
  readonly lives: readonly PowerCutFileSystem[];
  /** Resolves when three calls are in flight. */
  whenAsked(): Promise<void>;
  /** Lets them go on. */
  release(): void;
  /** Cuts the power now, which spares nothing that was not synced. */
  cutPower(): void;
  /** Ends the host, however often it is called, and gives what a last power cut leaves of the log. Rejects when a host could not begin, or not end. */
  end(): Promise<AnyEvent[]>;
}

export async function startPoweredHost({ cuts = [], failure }: PoweredHostOptions): Promise<PoweredHost> {
  const port = await openSteadyPort();
  const lives: PowerCutFileSystem[] = [];
  const charges: number[] = [];
  const released = Promise.withResolvers<void>();
  const inFlight = Promise.withResolvers<void>();
  const served = Promise.withResolvers<void>();
  const over = new AbortController();
  let cutNow = (): void => {};

  /** One life of the host: until the power is off, or all is over. */
  async function live(disk: PowerCutFileSystem, cutAt: number): Promise<void> {
    const off = new AbortController();
    const whenOff = (): void => {
      port.cut();
      off.abort(new Error('the power is off'));
    };
    disk.cutPowerAt(cutAt, whenOff);
    cutNow = () => {
      disk.cutPowerAt(disk.operations.length - 1);
      whenOff();
    };
    let looking = 0;
    const runtime = createNodeRuntime({
      store: createFileStore({ home, fileSystem: disk }),
      clock: manualClock(),
      resolvePath: (path) => Promise.resolve(path),
    });
    const world = {
      async untilReleased(signal: AbortSignal) {
        looking += 1;
        if (looking === callsInFlight) inFlight.resolve();
        await Promise.race([released.promise, rejection(signal)]);
      },
      // Without power nothing happens in the world.
      charge(n: number) {
        off.signal.throwIfAborted();
        charges.push(n);
      },
    };
    runtime.bind(servedAgent(world), bindingId);
    const ending = AbortSignal.any([off.signal, over.signal]);
    try {
      await runtime.recover({ bindingIds: [bindingId] });
      await using listening = await listen(runtime);
      if (!ending.aborted) {
        port.leadTo(listening.port);
        served.resolve();
        await rejection(ending).catch(() => {});
      }
      port.cut();
    } catch (error) {
      if (!off.signal.aborted) throw error;
    }
    await runtime.close().catch((error: unknown) => {
      if (!off.signal.aborted) throw error;
    });
  }

  async function liveOnAndOn(): Promise<PowerCutFileSystem> {
    let disk = createPowerCutFileSystem();
    if (failure !== undefined) disk.failAt(failure.call, failure.code);
    for (;;) {
      const cut = cuts[lives.length];
      lives.push(disk);
      await live(disk, cut?.operation ?? Number.POSITIVE_INFINITY);
      disk = disk.restart(over.signal.aborted ? { keep: 0 } : (cut?.loss(disk.unsyncedBytes()) ?? { keep: 0 }));
      if (over.signal.aborted) return disk;
    }
  }

  const living = liveOnAndOn();
  living.catch(() => {});
  let ended: Promise<AnyEvent[]> | undefined;

  async function end(): Promise<AnyEvent[]> {
    over.abort(new Error('all is over'));
    try {
      return await Array.fromAsync(createFileStore({ home, fileSystem: await living }).read(sessionId));
    } finally {
      await port.close();
    }
  }
  await Promise.race([served.promise, living]);
  return {
    connect: () =>
      connect(`ws://127.0.0.1:${port.port}`, {
        reconnect: { delaysMs: Array<number>(10_000).fill(5) },
        signal: AbortSignal.timeout(STORY_BOUND_MS),
      }),
    charges,
    lives,
    whenAsked: () => inFlight.promise,
    release: released.resolve,
    cutPower: () => cutNow(),
    end: () => (ended ??= end()),
  };
}

/** Never resolves, and rejects when the signal aborts. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
