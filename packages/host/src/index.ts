export { serveRuntime, type ServedChannel, type ServeOptions } from './serve-runtime.ts';
export type { ReportBug } from './error-frame.ts';
export type { Principal, Right } from './access/principal.ts';
