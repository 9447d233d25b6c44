export { askModel, type AskModelOptions, type ModelAnswer } from './ask-model.ts';
export { startModelServer, type ModelServer, type ModelServerOptions } from './start-model-server.ts';
export type { RecordedRequest, RequestEnd } from './recorded-request.ts';
export { checkRequest } from './anthropic/check-request.ts';
export { readStream, streamWires, type StreamReading } from './read-stream.ts';
export { createReasoningSigner, type ReasoningSigner } from './reasoning-signature.ts';
export { readScript, readScriptFile } from '../scripted/read-script.ts';
export {
  hold,
  malformedToolCall,
  mute,
  promptTooLong,
  redactedThinking,
  reply,
  reset,
  status,
  text,
  thinking,
  times,
  toolCall,
  wireBlock,
  type Piece,
  type ReplyOptions,
  type ReplyStep,
  type ReplyUsage,
  type ScriptBlock,
  type StatusOptions,
  type StatusStep,
  type Step,
  type StreamFault,
  type StreamPoint,
  type WireStyle,
} from './script.ts';
