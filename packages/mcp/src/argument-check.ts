import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { InputProblem } from '@rondo/runtime';
import { isObject } from './is-object.ts';

/**
 * Ours, beside the protocol: a server that names the method among its experimental capabilities says, for `name` and
 * `arguments`, what is wrong with them: `{ problems: [{ path, message }] }`. So nobody is asked about a call that cannot run.
 */
export const checkArguments = 'rondo/checkArguments';

/** @param capabilities what a server answered to `initialize`. */
export function checksArguments(capabilities: JsonValue | undefined): boolean {
  const experimental = isObject(capabilities) ? capabilities['experimental'] : undefined;
  return isObject(experimental) && Object.hasOwn(experimental, checkArguments);
}

/** @param request asks the server. That it does not answer says nothing of the arguments: the call does. */
export async function askArgumentProblems(
  request: (method: string, params: JsonObject) => Promise<JsonValue>,
  name: string,
  input: JsonObject,
): Promise<readonly InputProblem[]> {
  try {
    const answer = await request(checkArguments, { name, arguments: input });
    const problems = isObject(answer) ? answer['problems'] : undefined;
    return Array.isArray(problems) ? problems.flatMap(problemOf) : [];
  } catch {
    return [];
  }
}

function problemOf(given: JsonValue): InputProblem[] {
  if (!isObject(given)) return [];
  const { path, message } = given;
  return typeof path === 'string' && typeof message === 'string' ? [{ path, message }] : [];
}
