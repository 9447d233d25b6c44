export { freezeDeep } from './freeze-deep.ts';
export { manualClock, type ManualClock } from './manual-clock.ts';
export {
  recordingTool,
  type RecordedCall,
  type RecordedResult,
  type RecordingTool,
  type RecordingToolOptions,
} from './recording-tool.ts';
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
export {
  call,
  callMalformed,
  cutAfter,
  fail,
  pauseUntil,
  say,
  sayOpaque,
  stall,
  stopWith,
  think,
  thinkRedacted,
  use,
  type ScriptedPiece,
  type ScriptedStep,
} from './scripted-step.ts';
export {
  refusingSandbox,
  sha256,
  temporaryBinding,
  type TemporaryBinding,
  type TemporaryBindingOptions,
} from './temporary-binding.ts';
export { temporaryToolContext, type TemporaryToolContext } from './temporary-tool-context.ts';
export {
  checkConversation,
  describeProblems,
  type CheckConversationOptions,
  type ConversationProblem,
} from '../context/check-conversation.ts';
export { picture, pictureBytes, type PictureOptions } from './picture.ts';
export { eventStoreConformance } from './event-store-conformance.ts';
export type { ConformanceCase, StorePlace } from './conformance-case.ts';
export { createEventScript, sampleBinding, type EventScript } from './event-script.ts';
export { createPowerCutFileSystem, type DiskOperation, type PowerCutFileSystem } from './power-cut-file-system.ts';
export type { PowerLoss } from './power-cut-disk.ts';
export { replayRandomSession, type FalseDivergence } from './replay-random-session.ts';
export { permissionCorpus } from './permission-corpus.ts';
export {
  checkPermissionCase,
  type CasePolicy,
  type CaseRules,
  type CaseVerdict,
  type PermissionCase,
  type PermissionEngine,
} from './permission-case.ts';
export { compareShellLines, type ComparedLines } from './compare-shell-lines.ts';
export type { SecondParser } from './second-parser.ts';
export { judgeWrappedCommands, type JudgedLines } from './judge-wrapped-commands.ts';
