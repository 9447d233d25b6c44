import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { SessionsValues } from '../command/flag-tables.ts';
import { print } from '../process/print.ts';

interface Report {
  readonly text: string;
  readonly exitCode: number;
}

interface Action {
  /** The arguments after the session's ID, as messages name them; absent where it takes no session either. */
  readonly takes?: 'nothing' | 'words' | 'at most one word' | undefined;
  readonly flags: readonly (keyof SessionsValues)[];
  run(values: SessionsValues, session: string, words: readonly string[]): Promise<string | Report>;
}

const actions: Readonly<Record<string, Action>> = {
  list: {
    flags: ['json', 'dir', 'limit'],
    run: async (values) => (await import('./list-sessions.ts')).listSessionsText(values),
  },
  show: {
    takes: 'nothing',
    flags: ['json'],
    run: async (values, session) => (await import('./show-session.ts')).showSession(session, values),
  },
  rename: {
    takes: 'words',
    flags: [],
    run: async (_, session, words) => (await import('./name-session.ts')).renameSessionText(session, words.join(' ')),
  },
  tag: {
    takes: 'at most one word',
    flags: [],
    run: async (_, session, [tag]) => (await import('./name-session.ts')).tagSessionText(session, tag),
  },
  fork: {
    takes: 'nothing',
    flags: ['title'],
    run: async ({ title }, session) => (await import('./fork-session.ts')).forkSessionText(session, title),
  },
  rm: {
    takes: 'nothing',
    flags: ['force'],
    run: async ({ force = false }, session) =>
      (await import('./remove-session.ts')).removeSessionText(session, { force }),
  },
  export: {
    takes: 'nothing',
    flags: ['format', 'output'],
    run: async (values, session) => (await import('./export-session.ts')).exportSession(session, values),
  },
  import: {
    takes: 'words',
    flags: ['dryRun', 'json'],
    run: async ({ dryRun = false, json = false }, file, files) =>
      (await import('./import-sessions.ts')).importSessionsText([file, ...files], { dryRun, json }),
  },
  verify: {
    takes: 'nothing',
    flags: ['all'],
    run: async ({ all }, session) =>
      (await import('./verify-sessions.ts')).verifySessionsText(all === true ? undefined : session),
  },
  salvage: {
    takes: 'nothing',
    flags: [],
    run: async (_, session) => (await import('./salvage-session.ts')).salvageSessionText(session),
  },
};

/** `rondo sessions ACTION [SESSION]`, as text for people or JSON for programs. */
export async function runSessions(values: SessionsValues, positionals: readonly string[]): Promise<number> {
  const [name = 'list', session, ...words] = positionals;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) throw unknownAction(name);
  checkFlags(name, action, values);
  checkArguments(name, values.all === true ? { ...action, takes: undefined } : action, session, words);
  const said = await action.run(values, session ?? '', words);
  const { text, exitCode } = typeof said === 'string' ? { text: said, exitCode: 0 } : said;
  await print(text);
  return exitCode;
}

function unknownAction(name: string): RondoError {
  const names = Object.keys(actions);
  const [nearest] = nearestNames(name, names);
  const way = nearest === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${nearest}?`;
  return new RondoError('input.invalid', `rondo sessions cannot "${name}". ${way}`);
}

function checkArguments(name: string, { takes }: Action, session: string | undefined, words: readonly string[]): void {
  const most = { words: Number.POSITIVE_INFINITY, 'at most one word': 1, nothing: 0 }[takes ?? 'nothing'];
  const surplus = takes === undefined ? session : words[most];
  if (surplus !== undefined) {
    const way = most === 1 ? ' Put more than one word in quotes.' : '';
    throw new RondoError('input.invalid', `rondo sessions ${name} takes no "${surplus}".${way}`);
  }
  if (takes !== undefined && session === undefined) {
    const way = name === 'import' ? 'Which files? Name transcripts, a JSON object a line.' : '';
    throw new RondoError('input.invalid', way || 'Which session? rondo sessions list shows them.');
  }
}

function checkFlags(name: string, action: Action, values: SessionsValues): void {
  for (const [flag, value] of Object.entries(values)) {
    if (value !== undefined && !action.flags.some((known) => known === flag)) {
      throw new RondoError('input.invalid', `rondo sessions ${name} takes no --${flag}.`);
    }
  }
}
