import type { ConnectionStatus } from '@rondo/client';
import type { CommandContext } from '../command/command-context.ts';
import type { AttachValues } from '../command/flag-tables.ts';
import { listenForInterruption } from '../process/interruption.ts';
import { createTextWriter } from '../process/text-writer.ts';
import { type AttachTarget, openAttachTarget } from './attach-target.ts';

/** What is asked of the other process is answered within five seconds. */
const graceMs = 7_000;

/** Follows a session that is at work elsewhere, until it ends or the person leaves. */
export async function runAttach(
  values: AttachValues,
  positionals: readonly string[],
  { say }: Pick<CommandContext, 'say'>,
): Promise<number> {
  let onConnection = (status: ConnectionStatus): void => {
    if (status.type === 'waiting') say(`${status.error.message}. Trying again.`);
  };
  await using target = await openAttachTarget(values, positionals, { onConnection: (status) => onConnection(status) });
  if (values.json) return await writeEvents(target);
  const { attachOnTerminal } = await import('./attach-on-terminal.ts');
  return await attachOnTerminal(target, {
    onConnection(listener) {
      onConnection = listener;
    },
  });
}

/** Every event that is kept, a line each, from the beginning. */
async function writeEvents({ client, session }: AttachTarget): Promise<number> {
  using interruption = listenForInterruption({ graceMs, exit: (code) => process.exit(code) });
  const stdout = createTextWriter(process.stdout);
  const signal = AbortSignal.any([interruption.signal, stdout.closed]);
  try {
    for await (const event of client.session(session.id).events({ signal })) {
      await stdout.write(`${JSON.stringify(event)}\n`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await stdout.flush();
  return interruption.exitCode ?? 0;
}
