import { isWire } from './request-guards.ts';
import type { Step } from './script.ts';

const stepTypes: readonly unknown[] = ['reply', 'status', 'reset', 'mute'];
const blockTypes: readonly unknown[] = ['text', 'thinking', 'redacted_thinking', 'tool_call', 'wire'];

/** The steps of a script in JSON: what the functions of this module return, without promises. Throws where it is none. */
export function readScript(json: string): readonly Step[] {
  const script: unknown = JSON.parse(json);
  if (!Array.isArray(script)) throw new TypeError('a script is a JSON list of steps');
  script.forEach((step: unknown, index) => checkStep(step, `step ${index}`));
  return script as readonly Step[];
}

function checkStep(step: unknown, place: string): void {
  if (Array.isArray(step)) return checkBlocks(step, place);
  if (!isWire(step)) throw new TypeError(`${place} is neither a step, a block nor a list of blocks`);
  if (!stepTypes.includes(step['type'])) return checkBlocks([step], place);
  if (step['type'] === 'reply') checkBlocks(step['blocks'], place);
  if (step['type'] === 'status' && typeof step['status'] !== 'number') throw new TypeError(`${place} has no status`);
}

const needed: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  thinking: ['text'],
  redacted_thinking: ['data'],
  tool_call: ['name', 'input'],
  wire: ['block'],
};

function checkBlocks(blocks: unknown, place: string): void {
  if (!Array.isArray(blocks)) throw new TypeError(`${place} has no list of blocks`);
  blocks.forEach((block: unknown, index) => {
    const type = isWire(block) ? block['type'] : undefined;
    if (!isWire(block) || typeof type !== 'string' || !blockTypes.includes(type)) {
      throw new TypeError(
        `block ${index} of ${place} has the type ${JSON.stringify(type)}; known are ${blockTypes.join(', ')}`,
      );
    }
    const missing = needed[type]?.find((field) => block[field] === undefined);
    if (missing !== undefined) throw new TypeError(`block ${index} of ${place} has no ${missing}`);
  });
}
