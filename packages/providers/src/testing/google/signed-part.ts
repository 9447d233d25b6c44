import { createHash } from 'node:crypto';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import { isWire, type Wire } from '../request-guards.ts';

/** What a part's signature stands for: its text, or the call. */
export function signedPart(part: Wire): string {
  const { functionCall: call, text, thought } = part;
  if (isWire(call)) return `call ${String(call['id'])} ${String(call['name'])}`;
  return `${thought === true ? 'thought' : 'text'} ${String(text)}`;
}

/** Whose a call is: IDs name the model that made it and the server, so that a lost signature is told from one that never was. */
export interface CallOwner {
  readonly model: string;
  readonly signer: ReasoningSigner;
}

export function ownCallId(owner: CallOwner, conversation: string, index: number): string {
  return `${ownMark(owner)}${conversation.slice(0, 12)}_${index}`;
}

export function isOwnCallId(id: unknown, owner: CallOwner): boolean {
  return typeof id === 'string' && id.startsWith(ownMark(owner));
}

function ownMark({ model, signer }: CallOwner): string {
  return `fc_${createHash('sha256').update(signer.sign(model)).digest('hex').slice(0, 6)}_`;
}
