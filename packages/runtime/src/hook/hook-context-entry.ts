import type { MessageEntry } from '@rondo/protocol';

/** What hooks have for the model, as an entry of its own that says where it comes from. */
export function hookContextEntry(id: string, source: string, texts: readonly string[]): MessageEntry {
  const [event = 'a'] = source.split('/');
  const content = texts.map((text) => ({ type: 'text' as const, text: `Context from ${event} hook:\n${text}` }));
  return { type: 'message', id, role: 'context', kind: 'hook_context', source, content };
}

/** Nobody has said it: it stands beside what was said. */
export function isHookContext({ role, kind }: MessageEntry): boolean {
  return role === 'context' && (kind === 'hook_context' || kind === 'background_context');
}
