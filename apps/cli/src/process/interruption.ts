const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The end of a run that a person or the system asked for by a signal. */
export interface Interruption {
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
  /** What the process exits with after the first signal. */
  readonly exitCode: number | undefined;
  /** As if the signal had come, for what ends a run otherwise: a reader that left. */
  interrupt(exitCode: number): void;
  [Symbol.dispose](): void;
}

export interface InterruptionOptions {
  /** After this the process ends even if the turn has not. Longer than the runtime's own bound. */
  readonly graceMs: number;
  /** Ends the process at once: on a second signal, or when the grace is over. */
  readonly exit: (exitCode: number) => void;
}

/** From here on signals interrupt instead of killing; a second one exits at once. */
export function listenForInterruption({ graceMs, exit }: InterruptionOptions): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  let grace: NodeJS.Timeout | undefined;

  const interrupt = (code: number): void => {
    if (exitCode !== undefined) return exit(exitCode);
    exitCode = code;
    grace = setTimeout(() => exit(code), graceMs);
    grace.unref();
    controller.abort();
  };
  const listeners = Object.entries(signals).map(([name, code]) => {
    const listener = (): void => interrupt(code);
    process.on(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    interrupt(code) {
      if (exitCode === undefined) interrupt(code);
    },
    [Symbol.dispose]() {
      clearTimeout(grace);
      for (const { name, listener } of listeners) process.off(name, listener);
    },
  };
}
