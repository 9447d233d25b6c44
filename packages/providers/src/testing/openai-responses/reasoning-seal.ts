import { isWire, type Wire } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';

export interface SealedReasoning {
  readonly id: string;
  readonly summary: readonly string[];
  /** What stands in the seal itself, in place of a summary. */
  readonly hidden?: string;
}

/**
 * The `encrypted_content` of a reasoning item. It fits this item only: its ID, what is hidden in it and its summary. So
 * a client that changes any of them is found out, which is more than the API does about a summary.
 */
export function sealReasoning(reasoning: SealedReasoning, signer: ReasoningSigner, given?: string): string {
  const { hidden } = reasoning;
  if (given !== undefined) {
    signer.remember(sealedText(reasoning), given);
    return given;
  }
  const signature = signer.sign(sealedText(reasoning));
  return hidden === undefined ? signature : `${Buffer.from(hidden).toString('base64url')}.${signature}`;
}

export function isSealIntact(item: Wire, signer: ReasoningSigner): boolean {
  const { id, summary, encrypted_content: seal } = item;
  if (typeof id !== 'string' || typeof seal !== 'string' || !Array.isArray(summary)) return false;
  const texts = summary.map((part: unknown) => (isWire(part) ? String(part['text']) : ''));
  if (signer.verify(sealedText({ id, summary: texts }), seal)) return true;
  const dot = seal.indexOf('.');
  if (dot === -1) return false;
  const hidden = Buffer.from(seal.slice(0, dot), 'base64url').toString();
  return signer.verify(sealedText({ id, summary: texts, hidden }), seal.slice(dot + 1));
}

function sealedText({ id, summary, hidden = '' }: SealedReasoning): string {
  return JSON.stringify([id, summary, hidden]);
}
