import { createHmac } from 'node:crypto';

export interface ReasoningSigner {
  sign(text: string): string;
  /** Remembers a pair that the script made up, so that it counts as signed. */
  remember(text: string, signature: string): void;
  verify(text: string, signature: string): boolean;
}

/**
 * Signs reasoning the way the API does: only the server can make a signature, and it fits one text. Servers with the
 * same key know each other's, so a conversation may be resumed against another process.
 */
export function createReasoningSigner(key = 'rondo model server'): ReasoningSigner {
  const made = new Map<string, string>();
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64');
  return {
    sign,
    remember: (text, signature) => made.set(signature, text),
    verify: (text, signature) => made.get(signature) === text || sign(text) === signature,
  };
}
