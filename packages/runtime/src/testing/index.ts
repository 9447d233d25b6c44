export { freezeDeep } from './freeze-deep.ts';
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
