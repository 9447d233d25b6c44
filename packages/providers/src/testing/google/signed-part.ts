import { createHash } from 'node:crypto';
import { isWire, type Wire } from '../request-guards.ts';

/** What a part's signature stands for: its text, or the call. */
export function signedPart(part: Wire): string {
  const { functionCall: call, text, thought } = part;
  if (isWire(call)) return `call ${String(call['id'])} ${String(call['name'])}`;
  return `${thought === true ? 'thought' : 'text'} ${String(text)}`;
}

/** IDs of calls that name the model which made them, so that a lost signature is told from one that never was. */
export function ownCallId(model: string, conversation: string, index: number): string {
  return `${ownMark(model)}${conversation.slice(0, 12)}_${index}`;
}

export function isOwnCallId(id: unknown, model: string): boolean {
  return typeof id === 'string' && id.startsWith(ownMark(model));
}

function ownMark(model: string): string {
  return `fc_${createHash('sha256').update(model).digest('hex').slice(0, 6)}_`;
}
