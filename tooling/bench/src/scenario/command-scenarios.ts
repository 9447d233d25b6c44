import { fileURLToPath } from 'node:url';
import type { Conversation } from '../server/reply-bytes.ts';

/** A command and its floor, measured as processes, one right after the other. */
export interface CommandScenario {
  readonly name: ScenarioName;
  readonly floor: readonly string[];
  readonly ours: readonly string[];
  /** What the model does; absent where none is asked. */
  readonly conversation?: Conversation;
}

export type ScenarioName = 'version' | 'text' | 'loop' | 'stream';

export const loopCalls = 20;
export const streamDeltas = 20_000;
/** Pieces of an ordinary short answer. */
const answerDeltas = 24;

const node = process.execPath;
const prompt = 'What do the notes say?';
const floor = [node, fileURLToPath(new URL('../floor/converse.mjs', import.meta.url)), prompt];

/** The scenarios of a command that lies at `commandPath`. */
export function commandScenarios(commandPath: string): readonly CommandScenario[] {
  const command = [node, commandPath];
  // The permission is given as a person would give it: the gate has a rule to judge, and nothing to ask.
  const headless = [...command, '-p', prompt, '--allowedTools=Read'];
  return [
    { name: 'version', floor: [node, '-e', '0'], ours: [...command, '--version'] },
    { name: 'text', floor, ours: headless, conversation: { calls: 0, deltas: answerDeltas } },
    { name: 'loop', floor, ours: headless, conversation: { calls: loopCalls, deltas: answerDeltas } },
    { name: 'stream', floor, ours: headless, conversation: { calls: 0, deltas: streamDeltas } },
  ];
}
