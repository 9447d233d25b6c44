import type { HookEvent } from '@rondo/runtime';
import { hookEventFacts } from '../hooks/hook-event-facts.ts';
import type { CallbackEnding, CommandEnding, CommandOutput, OutcomeColumn } from '../hooks/hook-outcomes.ts';

/** The reason that every cell gives. */
export const cellReason = 'the reason of the cell';

/** The column of the table of outcomes that an event belongs to. */
export function columnOf(event: HookEvent): OutcomeColumn {
  if (event === 'PreToolUse' || event === 'PermissionRequest') return event;
  return hookEventFacts[event].power === 'tells' ? 'tells' : 'blocks';
}

/** What says so in the documented form of the event; where it has none, in the form of another. */
export function documented(event: HookEvent, decision: 'allow' | 'deny' | 'ask' | 'defer'): object {
  if (event === 'PermissionRequest' && (decision === 'allow' || decision === 'deny'))
    return {
      hookSpecificOutput: {
        hookEventName: event,
        decision: decision === 'deny' ? { behavior: decision, message: cellReason } : { behavior: decision },
      },
    };
  const isOlder = event !== 'PreToolUse' && event !== 'PermissionRequest';
  if (isOlder && decision === 'allow') return { decision: 'approve' };
  if (isOlder && decision === 'deny') return { decision: 'block', reason: cellReason };
  const own = { hookEventName: event, permissionDecision: decision, permissionDecisionReason: cellReason };
  return { hookSpecificOutput: own };
}

/** What a command writes in a cell. */
export function outputText(event: HookEvent, output: CommandOutput): string {
  const json = (decision: Parameters<typeof documented>[1]) => JSON.stringify(documented(event, decision));
  const texts: Readonly<Record<CommandOutput, string>> = {
    nothing: '',
    'JSON: allow': json('allow'),
    'JSON: deny or block': json('deny'),
    'JSON: ask': json('ask'),
    'JSON: defer': json('defer'),
    text: 'all is well',
    'text, then JSON: allow': `Using Node 24\n${json('allow')}`,
    'text, then JSON: deny or block': `Using Node 24\n${json('deny')}`,
    'invalid JSON': '{"decision": "block", "reason": "it says "no""}',
    'more than 1 MiB': '',
  };
  return texts[output];
}

/** The shell lines that play a cell. A hook that does not end by itself makes the file `ready` first. */
export function cellScript(
  event: HookEvent,
  { ending, output, ready }: { readonly ending: CommandEnding; readonly output: CommandOutput; readonly ready: string },
): string {
  const text = outputText(event, output);
  const write = output === 'more than 1 MiB' ? 'head -c 5000000 /dev/zero' : `cat <<'CELL'\n${text}\nCELL`;
  const waits = `: > '${ready}'; sleep 60`;
  const endings: Readonly<Record<CommandEnding, string>> = {
    'exit 0': 'exit 0',
    'exit 1': 'exit 1',
    'exit 2': 'exit 2',
    'exit 127': 'a-program-that-is-nowhere',
    'another exit code': 'exit 42',
    'ended by a signal': 'kill -KILL $$',
    'could not be started': 'exit 0',
    'out of time': waits,
    'the turn is stopped': waits,
  };
  return `echo '${cellReason}' >&2\n${text === '' && output !== 'more than 1 MiB' ? '' : write}\n${endings[ending]}\n`;
}

/** What a callback does in a cell; `stopped` is called by one whose turn is to be stopped now. */
export function cellCallback(
  event: HookEvent,
  ending: CallbackEnding,
  stopped: () => void,
): (signal: AbortSignal) => unknown {
  const never = () => new Promise(() => undefined);
  const callbacks: Readonly<Record<CallbackEnding, (signal: AbortSignal) => unknown>> = {
    'returns nothing': () => undefined,
    'returns {}': () => Promise.resolve({}),
    'returns allow': () => Promise.resolve(documented(event, 'allow')),
    'returns deny or block': () => Promise.resolve(documented(event, 'deny')),
    'returns ask': () => Promise.resolve(documented(event, 'ask')),
    'returns defer': () => Promise.resolve(documented(event, 'defer')),
    'returns { async: true }': () => Promise.resolve({ async: true }),
    'returns what is no object': () => Promise.resolve('allow'),
    'returns an unknown decision': () => Promise.resolve({ decision: 'sure' }),
    throws: () => {
      throw new Error('broken');
    },
    rejects: () => Promise.reject(new Error('broken')),
    'never settles': never,
    'never settles, and the turn is stopped': () => {
      stopped();
      return never();
    },
    'returns allow after the turn was stopped': (signal) => {
      const { promise, resolve } = Promise.withResolvers<object>();
      signal.addEventListener('abort', () => resolve(documented(event, 'allow')));
      stopped();
      return promise;
    },
  };
  return callbacks[ending];
}
