export type Wire = { readonly [key: string]: unknown };

export const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** What the first member with a problem says. */
export function firstProblem<Member>(
  members: readonly Member[],
  check: (member: Member, index: number) => string | undefined,
): string | undefined {
  for (const [index, member] of members.entries()) {
    const problem = check(member, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && /\S/.test(value);
}

/** The model that a body names, where it is no part of the path. */
export function modelIn(body: unknown): string | undefined {
  const model = isWire(body) ? body['model'] : undefined;
  return typeof model === 'string' ? model : undefined;
}

/** How many of the messages in a body's list are the model's. */
export function repliesIn(body: unknown, list: string, role: string): number {
  const messages: unknown = isWire(body) ? body[list] : undefined;
  if (!Array.isArray(messages)) return 0;
  return messages.filter((message) => isWire(message) && message['role'] === role).length;
}

/** The APIs read their bodies strictly: half a character, which JSON can spell, is no character. */
export function checkCharacters(value: unknown, place: string): string | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : `${place}: the text holds half a surrogate pair`;
  if (Array.isArray(value)) return firstProblem(value, (member, index) => checkCharacters(member, `${place}.${index}`));
  if (!isWire(value)) return undefined;
  return firstProblem(Object.entries(value), ([key, member]) => checkCharacters(member, `${place}.${key}`));
}
