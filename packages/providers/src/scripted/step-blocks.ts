import { readToolInput } from '../dialect/tool-input.ts';
import { replyBlock, wordsOf, type ReplyBlock } from './block-parts.ts';
import { isDirectReply } from './check-step.ts';
import type { ScriptBlock, ScriptStep } from './script-form.ts';

/** The blocks of a step's reply as the file has them: its list, or what stands in the step itself, in a model's order. */
export function saidBlocks(step: ScriptStep): readonly ScriptBlock[] {
  if (step.reply !== undefined || !isDirectReply(step)) return step.reply ?? [];
  const { reasoning, signature, text, call, input, json, id } = step;
  return [
    ...(reasoning === undefined ? [] : [{ reasoning, ...(signature !== undefined && { signature }) }]),
    ...(text === undefined ? [] : [{ text }]),
    ...(call === undefined
      ? []
      : [{ call, ...(input && { input }), ...(json !== undefined && { json }), ...(id !== undefined && { id }) }]),
  ];
}

/** Pieces of a text, where the file has a list; else the whole. */
export function wholeText(said: string | readonly string[]): string {
  return typeof said === 'string' ? said : said.join('');
}

const madeUpSignature = 'scripted';

/** The blocks of a step's reply, with an ID for each call that has none. */
export function stepBlocks(step: ScriptStep, nextCallId: () => string): ReplyBlock[] {
  return saidBlocks(step).map((said): ReplyBlock => {
    if (said.text !== undefined)
      return { block: { type: 'text', text: wholeText(said.text) }, pieces: piecesOf(said.text) };
    if (said.reasoning !== undefined) {
      const { reasoning, signature = madeUpSignature } = said;
      return { block: { type: 'reasoning', text: wholeText(reasoning), signature }, pieces: piecesOf(reasoning) };
    }
    if (said.redacted !== undefined) return replyBlock({ type: 'reasoning', text: '', redacted: said.redacted });
    if (said.opaque !== undefined)
      return replyBlock({ type: 'opaque', provider: said.provider ?? 'scripted', raw: said.opaque });
    const { call: name = '', input, json, id: toolCallId = nextCallId() } = said;
    if (json === undefined) return replyBlock({ type: 'tool_call', toolCallId, name, input: input ?? {} });
    return { block: { type: 'tool_call', toolCallId, name, ...readToolInput(json) }, pieces: [json] };
  });
}

function piecesOf(said: string | readonly string[]): readonly string[] {
  return typeof said === 'string' ? wordsOf(said) : said;
}
