export { imageBlockFromPath } from './image-block-from-path.ts';
export { socketChannel, type SocketChannelOptions } from './socket-channel.ts';
export { stdioChannel, type StdioCommand } from './stdio-channel.ts';
export type { LineStreams } from './line-channel-end.ts';
export { webSocketChannel, type HeaderedWebSocketOptions } from './web-socket-channel.ts';
