import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { SessionsValues } from '../command/flag-tables.ts';
import { print } from '../process/print.ts';
import { listSessionsText } from './list-sessions.ts';
import { showSessionText } from './show-session.ts';

const actions = ['list', 'show'] as const;

/** `rondo sessions list` and `rondo sessions show SESSION`, as text for people or JSON for programs. */
export async function runSessions(values: SessionsValues, positionals: readonly string[]): Promise<number> {
  const [action = 'list', id, ...more] = positionals;
  if (action === 'list' && id === undefined) {
    await print(await listSessionsText(values));
    return 0;
  }
  if (action === 'show' && more.length === 0) {
    if (id === undefined) throw new RondoError('input.invalid', 'Which session? rondo sessions list shows them.');
    await print(await showSessionText(id, values));
    return 0;
  }
  const known = actions.find((name) => name === action);
  const [nearest] = nearestNames(action, actions);
  const way = nearest === undefined ? 'There are list and show.' : `Did you mean ${nearest}?`;
  throw new RondoError(
    'input.invalid',
    known === undefined
      ? `rondo sessions cannot "${action}". ${way}`
      : `rondo sessions ${known} takes no "${more[0] ?? id}".`,
  );
}
