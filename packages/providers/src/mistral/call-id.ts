import { createHash } from 'node:crypto';

const pattern = /^[a-zA-Z0-9]{9}$/;

/**
 * A call's ID as Mistral takes it: nine letters and digits. Its own are; those of other models become ones that are the
 * same for the same ID in every process, so that a call and its result find each other.
 */
export function mistralCallId(toolCallId: string): string {
  if (pattern.test(toolCallId)) return toolCallId;
  const digest = BigInt(`0x${createHash('sha256').update(toolCallId).digest('hex').slice(0, 14)}`);
  return digest.toString(36).padStart(9, '0').slice(-9);
}
