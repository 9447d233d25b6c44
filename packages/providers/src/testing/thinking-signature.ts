import { createHmac } from 'node:crypto';

export interface ThinkingSigner {
  sign(thinking: string): string;
  /** Remembers a pair that the script made up, so that it counts as signed. */
  remember(thinking: string, signature: string): void;
  verify(thinking: string, signature: string): boolean;
}

/**
 * Signs reasoning the way the API does: only the server can make a signature, and it fits one text. Servers with the
 * same key know each other's, so a conversation may be resumed against another process.
 */
export function createThinkingSigner(key = 'rondo model server'): ThinkingSigner {
  const made = new Map<string, string>();
  const sign = (thinking: string): string => createHmac('sha256', key).update(thinking).digest('base64');
  return {
    sign,
    remember: (thinking, signature) => made.set(signature, thinking),
    verify: (thinking, signature) => made.get(signature) === thinking || sign(thinking) === signature,
  };
}
