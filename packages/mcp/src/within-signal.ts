/** What the work gives, unless the signal aborts first: then its reason, also where the work never ends. */
export async function withinSignal<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  const given = Promise.withResolvers<never>();
  given.promise.catch(() => {});
  const onAbort = (): void => given.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const done = work();
  done.catch(() => {});
  try {
    return await Promise.race([done, given.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
