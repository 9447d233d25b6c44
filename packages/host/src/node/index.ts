export { listen, type Listening, type ListenOptions } from './listen.ts';
export { serveStdio, type ServeLinesSettings, type ServeStdioOptions } from './serve-stdio.ts';
export { serveSocket, type ServedSocket, type ServeSocketOptions } from './serve-socket.ts';
export type { ServedLines } from './line/serve-lines.ts';
export { readTokenFile } from './access/read-token-file.ts';
export type { TokenGrant } from './access/token-grant.ts';
export type { HostLog } from './host-log.ts';
export type { HostLimits } from '../limits.ts';
export type { Principal, Right } from '../access/principal.ts';
