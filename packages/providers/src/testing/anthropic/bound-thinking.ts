import { createHash } from 'node:crypto';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import { isWire, type Wire } from '../request-guards.ts';

/** Models that take their thinking back only where nothing before it has changed. */
export function bindsThinking(model: unknown): boolean {
  return /^claude-((fable|mythos)-5-[12]|(opus|sonnet|haiku)-5-5)(-|$)/.test(String(model));
}

/** What stands before a block: the system, the tools, and every block so far. */
export interface ThinkingPrefix {
  add(role: unknown, block: Wire): void;
  digest(): string;
}

export function createThinkingPrefix({ system, tools }: Wire): ThinkingPrefix {
  const hash = createHash('sha256').update(spelled([system ?? null, tools ?? null]));
  return {
    add(role, block) {
      const said = role === 'assistant' ? ownWords(block) : block;
      if (said !== undefined) hash.update(`\n${String(role)} ${spelled(said)}`);
    },
    digest: () => hash.copy().digest('base64'),
  };
}

/** A block of a reply as it stands in a request: its input may be spelled otherwise there, and blanks are left out. */
function ownWords({ type, text, thinking, id, data }: Wire): unknown {
  if (type === 'text') return /\S/.test(String(text)) ? text : undefined;
  return [type, thinking, id, data];
}

/** Marks for the cache count for nothing, and a text is the same as a list of it alone. */
function spelled(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (!isWire(member) || member['cache_control'] === undefined) return member;
    const { cache_control: _, ...rest } = member;
    return rest;
  });
}

/** Signs a text of thinking, and what stands before it where its model binds the two. */
export function signThinking(text: string, prefix: string | undefined, signer: ReasoningSigner): string {
  const seal = signer.sign(text);
  return prefix === undefined ? seal : `${seal}.${signer.sign(`${prefix} ${text}`)}`;
}

/** `moved`: the text is as it was, and what stands before it is not. */
export function judgeThinking(
  { thinking, signature }: Wire,
  prefix: string,
  signer: ReasoningSigner,
): 'intact' | 'altered' | 'moved' {
  const [text, whole] = [String(thinking), String(signature)];
  if (signer.verify(text, whole)) return 'intact';
  const [seal = '', bound = ''] = whole.split('.');
  if (bound === '' || !signer.verify(text, seal)) return 'altered';
  return signer.verify(`${prefix} ${text}`, bound) ? 'intact' : 'moved';
}
