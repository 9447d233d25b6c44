export { openHome, type Home } from './runtime/open-home.ts';
export { sessionBindingId } from './runtime/session-bindings.ts';
export type { HomeOptions } from './sessions/with-home.ts';
