import type { ClientToolAnswers, ClientToolHandler } from './handler-options.ts';

const mark = Symbol.for('rondo.clientToolAnswers.v0');

/**
 * Answers by tool, named as it was declared or by its whole ID. `default` answers the rest; without it a call of
 * another tool stays open for others. @throws TypeError for what is no function.
 */
export function clientToolAnswers(functions: Readonly<Record<string, ClientToolHandler>>): ClientToolAnswers {
  const byName = new Map(Object.entries(functions));
  for (const [name, answer] of byName)
    if (typeof answer !== 'function') throw new TypeError(`clientToolAnswers: ${name} is no function`);
  const answers: ClientToolAnswers = {
    find: ({ name, toolId }) => byName.get(name) ?? byName.get(toolId) ?? byName.get('default'),
  };
  Object.defineProperty(answers, mark, { value: true });
  return Object.freeze(answers);
}

export function isClientToolAnswers(value: unknown): value is ClientToolAnswers {
  return typeof value === 'object' && value !== null && mark in value;
}
