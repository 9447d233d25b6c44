import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Channel } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { createLineChannelEnd, type LineStreams } from './line-channel-end.ts';

export interface StdioCommand {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the process; this one's by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where its errors go: to this process's own by default. */
  readonly stderr?: 'inherit' | 'ignore';
  /** How long it has to end by itself once the channel is closed, before it is told to, and again before it is made to. */
  readonly graceMs?: number;
}

/**
 * A channel to a host that speaks over its standard input and output, or over two streams. A command is started, runs as
 * long as the channel, and is asked to end by the end of its input.
 */
export async function stdioChannel(target: StdioCommand | LineStreams): Promise<Channel> {
  if ('input' in target) {
    const { input, output } = target;
    const close = (): void => {
      input.pause();
      output.end();
    };
    return createLineChannelEnd(target, { host: 'the host', close }).channel;
  }
  return await spawnChannel(target);
}

async function spawnChannel({ graceMs = 2000, ...command }: StdioCommand): Promise<Channel> {
  const child = spawn(command.command, command.args ?? [], {
    stdio: ['pipe', 'pipe', command.stderr ?? 'inherit'],
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...(command.env === undefined ? {} : { env: { ...command.env } }),
  }) as ChildProcessByStdio<Writable, Readable, null>;
  const host = `the host "${command.command}"`;
  const end = createLineChannelEnd(
    { input: child.stdout, output: child.stdin },
    { host, close: () => endChild(child, graceMs) },
  );
  // Its last words may still be in the pipe when it exits: the pipe's end is the channel's.
  const started = Promise.withResolvers<Channel>();
  child.on('spawn', () => started.resolve(end.channel));
  child.on('error', (error) => {
    const failure = new RondoError('channel.closed', `${host} does not start: ${error.message}`, { cause: error });
    started.reject(failure);
    end.end(failure);
  });
  return await started.promise;
}

function endChild(child: ChildProcessByStdio<Writable, Readable, null>, graceMs: number): void {
  // Its last output is nobody's any more; left unread it would keep it from ending.
  child.stdout.resume();
  child.stdin.end();
  if (child.exitCode !== null || child.signalCode !== null) return;
  const term = setTimeout(() => child.kill('SIGTERM'), graceMs);
  const kill = setTimeout(() => child.kill('SIGKILL'), 2 * graceMs);
  child.on('exit', () => {
    clearTimeout(term);
    clearTimeout(kill);
  });
}
