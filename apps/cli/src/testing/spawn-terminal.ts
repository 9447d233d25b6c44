import { type IPty, spawn } from '@lydell/node-pty';

/** A program on a terminal of its own, as a person sees and serves it. */
export interface Terminal extends AsyncDisposable {
  /** Resolves when the text has appeared behind what was waited for last. Rejects when the program ends without it. */
  waitFor(text: string): Promise<void>;
  type(keys: string): void;
  kill(signal: string): void;
  /** Everything shown so far. */
  readonly screen: string;
  readonly exited: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
}

export function spawnTerminal(file: string, parameters: readonly string[], options: TerminalOptions): Terminal {
  const pty: IPty = spawn(file, [...parameters], {
    name: 'xterm-256color',
    cols: options.columns ?? 100,
    rows: 30,
    cwd: options.cwd,
    env: { ...options.env },
  });
  let screen = '';
  let seen = 0;
  let ended = false;
  const waiting = new Set<() => void>();
  const exited = Promise.withResolvers<{ exitCode: number; signal?: number | undefined }>();
  pty.onData((text) => {
    screen += text;
    for (const look of waiting) look();
  });
  pty.onExit((exit) => {
    ended = true;
    exited.resolve(exit);
    for (const look of waiting) look();
  });
  return {
    exited: exited.promise,
    get screen() {
      return screen;
    },
    type: (keys) => pty.write(keys),
    kill: (signal) => pty.kill(signal),
    waitFor(text) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const at = screen.indexOf(text, seen);
          if (at === -1 && !ended) return;
          waiting.delete(look);
          if (at === -1) return reject(new Error(`the program ended without ${JSON.stringify(text)}:\n${screen}`));
          seen = at + text.length;
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      if (!ended) pty.kill('SIGKILL');
      await exited.promise;
    },
  };
}
