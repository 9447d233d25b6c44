/** By then the first request is under way, which a start is measured by. */
const delayMs = 250;

let sweep: (() => Promise<void>) | undefined;

/**
 * Ends what commands and hooks of runtimes that died left running, once a process: a little after the first call, or by the
 * second where that comes earlier, so that a process that is short does it too. Never rejects.
 */
export function sweepOfStart(): Promise<void> {
  if (sweep !== undefined) return sweep();
  let running: Promise<void> | undefined;
  sweep = () => {
    running ??= import('@rondo/sandbox/orphans')
      .then(({ endCommandsOfDeadRuntimes }) => endCommandsOfDeadRuntimes())
      .then(
        () => undefined,
        () => undefined,
      );
    return running;
  };
  const timer = setTimeout(() => void sweep?.(), delayMs);
  timer.unref();
  return Promise.resolve();
}
