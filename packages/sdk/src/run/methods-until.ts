import { RondoError } from '@rondo/protocol/values';
import type { QueryMethods } from './query-methods.ts';

/** What a session offered when it began: known without it. */
const ofTheBeginning: ReadonlySet<string> = new Set([
  'accountInfo',
  'initializationResult',
  'supportedAgents',
  'supportedCommands',
  'supportedModels',
] satisfies readonly (keyof QueryMethods)[]);

/** The methods, each of which rejects once `end` resolves, also while its answer is awaited. */
export function methodsUntil(end: Promise<void>, methods: QueryMethods): QueryMethods {
  let isOver = false;
  const awaited = new Set<() => void>();
  void end.then(() => {
    isOver = true;
    for (const giveUp of awaited) giveUp();
  });
  const bounded = Object.entries(methods).map(([name, method]: [string, (...input: never[]) => Promise<unknown>]) => {
    if (ofTheBeginning.has(name)) return [name, method];
    const bound = async (...input: never[]): Promise<unknown> => {
      if (isOver) throw closedQuery(name);
      const over = Promise.withResolvers<never>();
      const giveUp = (): void => over.reject(closedQuery(name));
      awaited.add(giveUp);
      try {
        return await Promise.race([method(...input), over.promise]);
      } finally {
        awaited.delete(giveUp);
      }
    };
    return [name, bound];
  });
  return Object.fromEntries(bounded) as QueryMethods;
}

/** What a method of a query that has ended rejects with. */
export function closedQuery(method: string): RondoError {
  return new RondoError('channel.closed', `query.${method}(): the query was closed before a response was received.`, {
    details: { method },
  });
}
