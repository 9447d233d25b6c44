import type { EventHook, HookRun, HookUsage } from '@rondo/runtime';
import type { HookEntry } from './hook-entry.ts';
import { hookEventFacts } from './hook-event-facts.ts';
import { objectsIn } from './read-hook-text.ts';

/** Asks a model, by its name or the session's own, and gives back what it wrote. */
export type AskModel = (
  prompt: string,
  options: {
    readonly model?: string;
    readonly signal: AbortSignal;
    /** Told what that has used up to now. */
    readonly onUsage: (usage: HookUsage) => void;
  },
) => Promise<string>;

const form = [
  'Judge what is described above. Answer with one JSON object and nothing else:',
  '{"ok": true} when it may go on, or {"ok": false, "reason": "…"} when it may not, with the reason for whoever wanted it.',
].join('\n');

/**
 * Asks a model the hook's question. `$ARGUMENTS` in it is the hook's input as JSON, which is put behind it where that does
 * not stand. A yes is no opinion: a model's word allows nothing.
 * @throws Error when the model gave no answer: the hook has failed.
 */
export async function runPromptHook(
  { event, fields }: HookEntry,
  input: Parameters<EventHook['run']>[0],
  { askModel, ...asking }: { readonly askModel: AskModel } & Omit<Parameters<AskModel>[1], 'model'>,
): Promise<HookRun> {
  const question = String(fields['prompt']);
  const json = JSON.stringify(input);
  // By a function, since in a text `$&` and its like would mean something.
  const asked = question.includes('$ARGUMENTS')
    ? question.replaceAll('$ARGUMENTS', () => json)
    : `${question}\n\n${json}`;
  const { model } = fields;
  const reply = await askModel(`${asked}\n\n${form}`, { ...asking, ...(typeof model === 'string' ? { model } : {}) });
  const said = [...objectsIn(reply), ...objectsIn(reply, { behindText: true })];
  const verdicts = said.filter((each): each is { ok: boolean; reason?: unknown } => {
    return 'ok' in each && typeof each.ok === 'boolean';
  });
  // A model that says both has not said yes.
  const verdict = verdicts.find(({ ok }) => !ok) ?? verdicts[0];
  if (verdict === undefined) throw new Error('the model that the hook asked gave no {"ok": true} or {"ok": false}');
  if (verdict.ok) return { answer: {} };
  const reason = typeof verdict.reason === 'string' ? verdict.reason : 'refused by a prompt hook that gave no reason';
  const { power } = hookEventFacts[event];
  if (power === 'tells') return { answer: { systemMessage: reason } };
  return { answer: { decision: power === 'guards' ? 'deny' : 'block', reason } };
}
