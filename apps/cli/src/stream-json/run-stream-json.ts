import type { ChatRequest } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import { listenForInterruption } from '../process/interruption.ts';
import { createTextWriter } from '../process/text-writer.ts';
import { createPeer } from './peer.ts';
import { readFrames } from './read-frames.ts';

/** The runtime stops a turn within five seconds; a process that outlives that is stuck. */
const graceMs = 7_000;
/** As a shell reports a program that a closed pipe ended. */
const readerLeft = 141;

/**
 * Works for a program that speaks the stdio wire of the second seed: its lines are read from standard input until they end, and
 * answered on standard output. Resolves to the exit code: whether the last result was an error.
 */
export async function runStreamJson(request: ChatRequest, context: CommandContext): Promise<number> {
  using interruption = listenForInterruption({ graceMs, exit: (code) => process.exit(code) });
  const stdout = createTextWriter(process.stdout);
  stdout.closed.addEventListener('abort', () => interruption.interrupt(readerLeft));
  const peer = createPeer({ request, context, stdout });
  if (interruption.signal.aborted) peer.stop();
  else interruption.signal.addEventListener('abort', () => peer.stop());

  let isOver = false;
  const reading = read();
  await peer.over;
  isOver = true;
  // An open pipe would keep the process alive.
  process.stdin.destroy();
  await reading;
  await stdout.flush();
  return interruption.exitCode ?? peer.exitCode;

  async function read(): Promise<void> {
    try {
      for await (const frame of readFrames(process.stdin)) {
        context.debug.write('read', frame);
        peer.take(frame);
        await peer.room();
      }
      peer.end();
    } catch (error) {
      // That the pipe was closed from here is no fault of the client.
      if (!isOver) peer.fail(error);
    }
  }
}
