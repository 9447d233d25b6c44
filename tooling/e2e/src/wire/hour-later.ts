// Loaded into a peer before all else: time is as it is until SIGUSR2 moves it on by an hour, which every timer that falls due
// within it notices at once.
const hourMs = 3_600_000;
const realNow = Date.now.bind(Date);
const realTimeout = globalThis.setTimeout;
const realClear = globalThis.clearTimeout;
let offset = 0;

interface Pending {
  readonly due: number;
  readonly run: () => void;
}
const pending = new Map<NodeJS.Timeout, Pending>();

Date.now = () => realNow() + offset;
globalThis.setTimeout = Object.assign(
  (handler: (...input: unknown[]) => void, delay = 0, ...input: unknown[]): NodeJS.Timeout => {
    const run = (): void => {
      pending.delete(timer);
      handler(...input);
    };
    const timer = realTimeout(run, delay);
    pending.set(timer, { due: Date.now() + delay, run });
    return timer;
  },
  realTimeout,
) as typeof setTimeout;
globalThis.clearTimeout = ((timer: NodeJS.Timeout | undefined) => {
  if (timer !== undefined) pending.delete(timer);
  realClear(timer);
}) as typeof clearTimeout;

process.on('SIGUSR2', () => {
  offset += hourMs;
  for (const [timer, { due, run }] of pending) {
    if (due > Date.now()) continue;
    realClear(timer);
    run();
  }
});
