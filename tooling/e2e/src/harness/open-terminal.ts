import { spawn } from '@lydell/node-pty';
import { inject } from 'vitest';
import type { CommandOptions } from './start-command.ts';

/** The command on a terminal of its own, as a person sees and serves it. */
export interface Terminal extends AsyncDisposable {
  /** Resolves when the text has appeared behind what was waited for last; rejects when the command ends without it. */
  waitFor(text: string): Promise<void>;
  type(keys: string): void;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>;
}

export function openTerminal({ place, server, args, env, cwd }: Omit<CommandOptions, 'input'>): Terminal {
  const pty = spawn(process.execPath, [inject('builtCommand'), ...args], {
    name: 'xterm-256color',
    cols: 100,
    rows: 30,
    cwd: cwd ?? place.project,
    env: setOnly(place.env({ ...(server === undefined ? {} : { ANTHROPIC_BASE_URL: server.url }), ...env })),
  });
  let screen = '';
  let seen = 0;
  let ended = false;
  const waiting = new Set<() => void>();
  const exited = Promise.withResolvers<{ exitCode: number; signal?: number | undefined }>();
  pty.onData((piece) => {
    screen += piece;
    for (const look of waiting) look();
  });
  pty.onExit((exit) => {
    ended = true;
    exited.resolve(exit);
    for (const look of waiting) look();
  });
  return {
    exited: exited.promise,
    type: (keys) => pty.write(keys),
    kill: (signal) => pty.kill(signal),
    waitFor: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = screen.indexOf(wanted, seen);
          if (at === -1 && !ended) return;
          waiting.delete(look);
          if (at === -1) return reject(new Error(`the command ended without ${JSON.stringify(wanted)}:\n${screen}`));
          seen = at + wanted.length;
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      if (!ended) pty.kill('SIGKILL');
      await exited.promise;
    },
  };
}

/** A terminal would take a variable that is not set for one that is called so. */
function setOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
