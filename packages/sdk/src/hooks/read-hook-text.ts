import type { HookEvent } from '@rondo/runtime';
import { hookEventFacts } from './hook-event-facts.ts';
import { readHookAnswer, type ReadAnswer } from './read-hook-answer.ts';

/** Lines that an answer may begin on; of output with more, nothing can be told. */
const mostBeginnings = 100;
/** What a text holds that was meant as an answer, whatever else is wrong with it. */
const answerWords =
  /["'](decision|permissionDecision|permission_decision|continue|hookSpecificOutput|behavior|block)["']/;

/**
 * Reads what a command hook wrote to its standard output and exited with 0. Nothing, or text, is no opinion; at the events
 * that say so the text is context. An object is the answer. An object among other text refuses as if it stood alone and
 * grants nothing: the other text may quote what the model wrote.
 * @throws Error when it holds what was meant as an answer and cannot be read: such a hook has failed.
 */
export async function readHookText(event: HookEvent, text: string): Promise<ReadAnswer> {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') return { answer: {}, notices: [] };
  const whole = parseObject(trimmed);
  if (whole !== undefined) return await readHookAnswer(event, whole);
  if (trimmed.startsWith('{') && objectsIn(trimmed).length === 0)
    throw new TypeError('its standard output begins like JSON and is not valid JSON');
  const objects = objectsIn(trimmed);
  if (objects.length > 0) return await readAmongText(event, objects);
  if (/^\s*\{/m.test(trimmed) && answerWords.test(trimmed))
    throw new TypeError('its standard output holds text and then what looks like an answer, but is not valid JSON');
  return { answer: hookEventFacts[event].plainText === true ? { additionalContext: trimmed } : {}, notices: [] };
}

/** Of several answers the first that refuses counts, else the last. */
async function readAmongText(event: HookEvent, objects: readonly object[]): Promise<ReadAnswer> {
  const answers: ReadAnswer[] = [];
  for (const object of objects) answers.push(await readHookAnswer(event, object, { mayGrant: false }));
  const refusing = answers.find(({ answer }) => answer.decision !== undefined || answer.continue === false);
  const { answer, notices } = refusing ?? answers.at(-1) ?? { answer: {}, notices: [] };
  return { answer, notices: ['write the JSON alone to standard output: what it grants does not count', ...notices] };
}

/** The objects that begin at the beginning of a line. */
export function objectsIn(text: string): readonly object[] {
  const objects: object[] = [];
  const beginning = /^[ \t]*\{/gm;
  for (let attempts = 0; beginning.exec(text) !== null; attempts += 1) {
    if (attempts === mostBeginnings)
      throw new TypeError('its standard output has more objects than an answer is looked for in');
    const start = beginning.lastIndex - 1;
    const end = endOfObject(text, start);
    const object = end === undefined ? undefined : parseObject(text.slice(start, end));
    if (end === undefined || object === undefined) continue;
    objects.push(object);
    beginning.lastIndex = end;
  }
  return objects;
}

/** Behind the brace that closes the one at `start`. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (isQuoted) {
      if (character === '\\') index += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && (depth -= 1) === 0) return index + 1;
  }
  return undefined;
}

function parseObject(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
