import type { Client } from '@rondo/client';
import type { CatalogAgent } from '@rondo/protocol';
import { nearestNames, RondoError } from '@rondo/protocol/values';

/**
 * The agent of the host that a query works with: the one that is named, the session's own, or the only one.
 * @throws RondoError `input.invalid` where that is none, with the names there are.
 */
export async function remoteAgent(client: Client, named: string | undefined): Promise<CatalogAgent> {
  const { agents } = await client.request('catalog/read', {});
  const names = agents.map(({ name }) => name);
  if (named !== undefined) {
    const found = agents.find(({ name }) => name === named);
    if (found !== undefined) return found;
    const [nearest] = nearestNames(named, names);
    const way = nearest === undefined ? listed(names) : `Did you mean ${nearest}?`;
    throw unknownAgent(`the host serves no agent ${JSON.stringify(named)}. ${way}`, names);
  }
  const [only, ...others] = agents;
  if (only !== undefined && others.length === 0) return only;
  throw unknownAgent(
    names.length === 0 ? 'the host serves no agent.' : `options.agent must say which agent. ${listed(names)}`,
    names,
  );
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'It serves none.' : `It serves ${names.join(', ')}.`;
}

function unknownAgent(message: string, agents: readonly string[]): RondoError {
  return new RondoError('input.invalid', message, { details: { option: 'agent', agents: [...agents] } });
}
