import type { LanguageModelV2Usage, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { TokenUsage } from '@rondo/protocol';
import type { StopReason } from '@rondo/runtime';
import { isCount } from '../dialect/json.ts';
import type { AiSdkPart } from './language-model.ts';

export type FinishPart = Extract<AiSdkPart, { type: 'finish' }>;

/** Why the model stopped, in one shape: AI SDK 5 says it in one word, later ones beside the provider's own. */
export interface Finish {
  readonly unified: string;
  readonly raw: string | undefined;
}

export function readFinish({ finishReason }: FinishPart): Finish {
  if (typeof finishReason === 'string') return { unified: finishReason, raw: undefined };
  return { unified: finishReason.unified, raw: finishReason.raw };
}

/** @param calls how many calls of our tools the reply holds. */
export function stopReasonOf({ unified, raw }: Finish, calls: number): StopReason {
  switch (unified) {
    case 'stop':
      return calls > 0 ? 'tool_use' : 'end_turn';
    case 'tool-calls':
      return 'tool_use';
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    default:
      return raw ?? unified;
  }
}

/** The counts in one shape. Reasoning is part of the output, as every provider bills it. */
export function readUsage(
  usage: LanguageModelV2Usage | LanguageModelV4Usage | undefined,
  model: string | undefined,
): TokenUsage {
  const { total, noCache, cacheRead, cacheWrite } = inputOf(usage);
  const output = usage?.outputTokens;
  const written = typeof output === 'object' ? output.total : output;
  const cached = countOf(cacheRead) + countOf(cacheWrite);
  return {
    inputTokens: isCount(noCache) ? noCache : Math.max(0, countOf(total) - cached),
    outputTokens: countOf(written),
    ...(countOf(cacheRead) > 0 && { cacheReadInputTokens: countOf(cacheRead) }),
    ...(countOf(cacheWrite) > 0 && { cacheCreationInputTokens: countOf(cacheWrite) }),
    ...(model !== undefined && { model }),
  };
}

function inputOf(
  usage: LanguageModelV2Usage | LanguageModelV4Usage | undefined,
): Partial<LanguageModelV4Usage['inputTokens']> {
  const input = usage?.inputTokens;
  if (typeof input === 'object') return input;
  const cacheRead = usage !== undefined && 'cachedInputTokens' in usage ? usage.cachedInputTokens : undefined;
  return { total: input, cacheRead };
}

function countOf(value: number | undefined): number {
  return isCount(value) ? value : 0;
}
