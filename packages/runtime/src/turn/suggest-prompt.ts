import type { TokenUsage } from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';
import type { EventDraft } from '../event/event-draft.ts';
import { redactText, secretValues } from '../event/text-redactor.ts';
import type { ActiveTurn } from '../event/session-state.ts';
import { modelCost } from '../model/model-cost.ts';
import type { ModelRequest } from '../model/model.ts';
import { modelRequest } from './model-request.ts';
import type { TurnParts } from './turn-parts.ts';
import { withinAbort } from './within-abort.ts';

const instruction = `This message is not from the person. Say what they will most likely want to ask of you next, in their own words and language: one short request that follows from the work above, as they would type it. Say nothing else. If nothing follows, say only: NONE`;

const mostCharacters = 300;

/**
 * Asks the model, beside the conversation, what the person may want to say next, once: with the request of the turn's last
 * answer and a question behind it, so that the provider reads nearly all of it from its cache. Ends in one event, also
 * where nothing came of it; what went wrong is a notice. Never rejects.
 * @param ended the turn, as it was when it ended
 * @param signal aborts when something else is said, or the session is given up
 */
export async function suggestPrompt(turn: TurnParts, ended: ActiveTurn, signal: AbortSignal): Promise<void> {
  const { model } = turn.binding;
  const startedAt = turn.clock.now();
  let usage: TokenUsage | undefined;
  let problem: string | undefined;
  let text = '';
  try {
    const request = await askedRequest(turn, ended);
    if (request !== undefined && !signal.aborted)
      await withinAbort(signal, async (within) => {
        for await (const part of model.stream(request, { signal: within })) {
          if (part.type === 'start' && part.usage !== undefined) ({ usage } = part);
          if (part.type === 'block-end' && part.block.type === 'text') text += part.block.text;
          if (part.type === 'end') ({ usage } = part);
        }
      });
  } catch (error) {
    text = '';
    problem = error instanceof Error ? error.message : String(error);
  }
  const suggestion = signal.aborted ? undefined : suggestionIn(turn, text);
  const costUsd = usage === undefined ? undefined : modelCost(usage, model.price);
  const facts: EventDraft[] = [
    {
      type: 'prompt.suggested',
      turnId: turn.turnId,
      ...(suggestion === undefined ? {} : { suggestion }),
      ...(usage === undefined ? {} : { model: model.name, usage }),
      ...(costUsd === undefined ? {} : { costUsd }),
      durationMs: turn.clock.now() - startedAt,
    },
  ];
  if (problem !== undefined && !signal.aborted) {
    const message = `no next prompt could be suggested: ${problem}`;
    facts.unshift({ type: 'notice', turnId: turn.turnId, level: 'info', message });
  }
  try {
    turn.emit(facts);
  } catch {
    // The session is gone, and with it whoever would read this.
  }
}

/** Undefined where the turn left no answer to follow from, or nothing to pay with. */
async function askedRequest(turn: TurnParts, { limits, costUsd }: ActiveTurn): Promise<ModelRequest | undefined> {
  if (limits.maxBudgetUsd !== undefined && costUsd >= limits.maxBudgetUsd) return undefined;
  const { conversation } = turn.state;
  const last = conversation.at(-1);
  if (last?.kind !== 'assistant' || last.entry.content.some(({ type }) => type === 'tool_call')) return undefined;
  const question: ConversationItem = {
    kind: 'message',
    entry: { type: 'message', id: turn.newId(), role: 'user', content: [{ type: 'text', text: instruction }] },
  };
  const { request } = await modelRequest(turn, turn.binding.model, [...conversation, question]);
  const { output: _output, taskBudget: _budget, ...rest } = request;
  return rest;
}

function suggestionIn({ binding }: TurnParts, text: string): string | undefined {
  const [line = ''] = text.trim().split('\n');
  if (line === '' || /^"?none"?[.!]?$/i.test(line)) return undefined;
  const secrets = secretValues([...(binding.secrets ?? []), ...(binding.model.secrets ?? [])]);
  return redactText(line, secrets).slice(0, mostCharacters);
}
