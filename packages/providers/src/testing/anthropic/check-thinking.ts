import { firstProblem, isWire, type Wire } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import { createThinkingPrefix, judgeThinking } from './bound-thinking.ts';

/** What is wrong with the thinking of a request whose messages are sound: how it is asked for, and what comes back. */
export function checkThinking(body: Wire, signer: ReasoningSigner): string | undefined {
  return checkAsked(body) ?? checkBlocks(body, signer) ?? checkBeginning(body);
}

/** What a model takes, by its page in the public documentation. */
function checkAsked({ model, thinking, output_config: output }: Wire): string | undefined {
  const type = isWire(thinking) ? thinking['type'] : undefined;
  const name = String(model);
  const saysBetweenTools = name.startsWith('claude-sonnet-5-5');
  const refused = (instead: string): string =>
    `"thinking.type.${String(type)}" is not supported for this model. Use "thinking.type.${instead}" instead.`;
  if (type === 'enabled' && /^claude-((fable|mythos|opus|sonnet|haiku)-5(-5)?(-|$)|opus-4-[78])/.test(name))
    return refused('adaptive');
  if (type === 'adaptive' && /^claude-((opus|sonnet|haiku)-4-[0-5](-|$)|(opus|sonnet)-4-20|3)/.test(name))
    return refused('enabled');
  if (type === 'between_tools' && !saysBetweenTools) return refused('disabled');
  if (type !== 'disabled' && type !== 'between_tools') return undefined;
  if (type === 'disabled' && saysBetweenTools) return refused('between_tools');
  if (/^claude-(fable|mythos)-|^claude-opus-5-5/.test(name)) return refused('adaptive');
  const effort = isWire(output) ? output['effort'] : undefined;
  const strained = effort === 'xhigh' || effort === 'max';
  return strained && /^claude-(opus-5|sonnet-5-5|haiku-5-5)(-|$)/.test(name)
    ? `output_config.effort: ${effort} takes no "thinking.type.${type}" on this model`
    : undefined;
}

function checkBlocks(body: Wire, signer: ReasoningSigner): string | undefined {
  const prefix = createThinkingPrefix(body);
  const drops = dropsMoved(body);
  return firstProblem((body['messages'] ?? []) as readonly Wire[], ({ role, content }, index) =>
    firstProblem(blocksOf(content), (block, at) => {
      const judged = block['type'] === 'thinking' ? judgeThinking(block, prefix.digest(), signer) : 'intact';
      prefix.add(role, block);
      if (judged === 'intact' || (judged === 'moved' && drops)) return undefined;
      const refusal = `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`;
      return judged === 'altered'
        ? refusal
        : `${refusal}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
    }),
  );
}

function dropsMoved({ thinking }: Wire): boolean {
  const binding = isWire(thinking) ? thinking['block_binding'] : undefined;
  return isWire(binding) && binding['prefix_mismatch_behavior'] === 'drop_block';
}

function blocksOf(content: unknown): readonly Wire[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly Wire[]);
}

/** With a budget for it, a turn whose calls have their results now has to begin with thinking. */
function checkBeginning({ thinking, messages }: Wire): string | undefined {
  if (!isWire(thinking) || thinking['type'] !== 'enabled') return undefined;
  const all = messages as readonly Wire[];
  const told = all.findLastIndex(({ role, content }) => role === 'user' && !holdsResult(content));
  const first = all.findIndex(({ role }, index) => index > told && role === 'assistant');
  if (first === -1 || first === all.length - 1) return undefined;
  const type = blocksOf(all[first]?.['content'])[0]?.['type'];
  return type === 'thinking' || type === 'redacted_thinking'
    ? undefined
    : `messages.${first}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
}

function holdsResult(content: unknown): boolean {
  return blocksOf(content).some(({ type }) => type === 'tool_result');
}
