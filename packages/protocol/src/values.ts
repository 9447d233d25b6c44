// What of the protocol needs no schema. Code that starts often or runs in every process imports its values from here and
// the schemas' types from the root entry, so that no schema is built until outside data comes in.
export { LOG_FORMAT_VERSION, PROTOCOL_VERSION } from './version.ts';
export { canonicalJson } from './json/canonical-json.ts';
export { isDeeperThan } from './json/is-deeper-than.ts';
export { errorCodes, type ErrorCode } from './error/error-codes.ts';
export { nearestNames } from './error/nearest-names.ts';
export { isRondoError, RondoError, type RondoErrorJson, type RondoErrorOptions } from './error/rondo-error.ts';
export { readDataUri, type DataUri } from './content/data-uri.ts';
export { fromMcpContent, toMcpContent, type McpContent } from './content/mcp-content.ts';
export { isToolError, ToolError } from './error/tool-error.ts';
export { describeIssues, isStandardSchema } from './schema/standard-schema.ts';
export { answerMisfit } from './callback/answer-misfit.ts';
export { encodeBase64 } from './content/encode-base64.ts';
export { MAX_IMAGE_BASE64_CHARACTERS } from './content/image-limit.ts';
export { imageBlockFromBytes, sniffImageMediaType, type ImageBlockOptions } from './content/image-block.ts';
export { readImageHeader, type ImageHeader, type ImageMediaType } from './content/image-header.ts';
export { formatCursor, parseCursor, type CursorPosition } from './cursor/cursor.ts';
export { createLineReader, type Line, type LineReader } from './channel/line-reader.ts';
export { createMemoryChannel } from './channel/memory-channel.ts';
export { deriveUuid, isUuid, MESSAGE_NAMESPACE, messageUuid, type UUID } from './query/derive-uuid.ts';
