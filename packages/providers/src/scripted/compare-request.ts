import type { JsonObject, JsonValue } from '@rondo/protocol';
import { canonicalJson, RondoError } from '@rondo/protocol/values';
import type { ModelRequest } from '@rondo/runtime';
import { renderDifference } from './render-difference.ts';
import { saidByUser, saidMessages, saidSettings, saidTools, withoutResults, type Said } from './said-request.ts';
import type { MatchLevel, RecordedRequestForm } from './script-form.ts';
import { asSessionVariable, mapTexts } from './variables.ts';

export interface CompareOptions {
  /** What the recorded request belongs to, for the message. */
  readonly place: string;
  readonly match: MatchLevel;
  readonly ignore: readonly RegExp[];
  /** The first message of a whole conversation that is looked at; those before it are known to be the same. */
  readonly from?: number;
}

/**
 * Holds what is asked against what was asked when it was recorded.
 * @throws RondoError `model.request_invalid` with the parts that differ, as a diff of their YAML.
 */
export async function compareRequest(
  recorded: RecordedRequestForm,
  request: ModelRequest,
  { place, match, ignore, from = 0 }: CompareOptions,
): Promise<void> {
  if (match === 'none') return;
  const before: Record<string, JsonValue> = {};
  const now: Record<string, JsonValue> = {};
  for (const [name, part] of Object.entries(partsOf(recorded, request, { match, from }))) {
    const [expected, asked] = [part.recorded, asSessionVariable(part.asked, request.sessionId)].map((value) =>
      withoutIgnored(value, ignore),
    ) as [JsonValue, JsonValue];
    if (canonicalJson(expected) === canonicalJson(asked)) continue;
    before[name] = expected;
    now[name] = asked;
  }
  if (Object.keys(before).length === 0) return;
  const diff = await renderDifference(before, now);
  throw new RondoError(
    'model.request_invalid',
    `${place} was recorded for another request. What differs:\n${diff}\nRecord it anew where the new request is meant.`,
    { details: { reason: 'request_differs', place, diff } },
  );
}

interface Part {
  readonly recorded: JsonValue;
  readonly asked: JsonValue;
}

function partsOf(
  recorded: RecordedRequestForm,
  request: ModelRequest,
  { match, from }: { readonly match: MatchLevel; readonly from: number },
): Record<string, Part> {
  const all = match === 'all';
  const parts: Record<string, Part> = {};
  if (recorded.system !== undefined) parts['system'] = { recorded: recorded.system, asked: request.system };
  if (all && recorded.tools !== undefined) parts['tools'] = { recorded: recorded.tools, asked: saidTools(request) };
  if (all && recorded.settings !== undefined)
    parts['settings'] = { recorded: recorded.settings, asked: saidSettings(request) };
  if (recorded.messages !== undefined) {
    const kept = (messages: readonly JsonObject[]): JsonValue => (all ? messages : messages.map(messageWithoutResults));
    parts['messages'] = { recorded: kept(recorded.messages), asked: kept(saidMessages(request, from)) };
  } else if (recorded.user !== undefined) {
    const kept = (said: Said): JsonValue => (all ? said : withoutResults(said));
    parts['user'] = { recorded: kept(recorded.user), asked: kept(saidByUser(request, request.messages.length - 1)) };
  }
  return parts;
}

function messageWithoutResults(message: JsonObject): JsonObject {
  const { user } = message;
  return typeof user === 'object' && user !== null ? { user: withoutResults(user as Said) } : message;
}

function withoutIgnored(value: JsonValue, ignore: readonly RegExp[]): JsonValue {
  if (ignore.length === 0) return value;
  return mapTexts(value, (text) => ignore.reduce((kept, pattern) => kept.replace(pattern, '…'), text));
}
