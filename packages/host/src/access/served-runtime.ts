import type { Runtime } from '@rondo/runtime';

/** Of a runtime, what the wire reaches. */
export type ServedRuntime = Omit<
  Runtime,
  'bind' | 'unbind' | 'binding' | 'importSession' | 'readTree' | 'recover' | 'close'
>;
