import type { FrameWriter } from './frame-writer.ts';

/** A client that has gone is heard of by the pipe only when something is written to it. */
const silenceMs = 2000;

/** Writes to a client that says no more, whenever nothing else was written for a while, so that it is known to be still there. */
export function keepAlive(wire: Pick<FrameWriter, 'write' | 'written'>, over: Promise<void>): void {
  let before = wire.written;
  const timer = setInterval(() => {
    if (wire.written === before) void wire.write({ type: 'keep_alive' });
    before = wire.written;
  }, silenceMs);
  timer.unref();
  void over.then(() => clearInterval(timer));
}
