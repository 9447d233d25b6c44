import { RondoError } from '@rondo/protocol/values';
import { type Options, replaySession, type ReplayOptions, type ReplayReport } from '@rondo/sdk';
import { chatRequest } from '../command/chat-request.ts';
import { flagSpelling } from '../command/flag.ts';
import { replayFlags, type ReplayValues } from '../command/flag-tables.ts';
import { queryOptions } from '../compose.ts';
import { print } from '../process/print.ts';
import { findSession } from '../sessions/find-session.ts';
import { replayText } from './replay-text.ts';

/** `rondo replay SESSION`: 0 where everything goes as it went, 1 where something does not. */
export async function runReplay(values: ReplayValues, positionals: readonly string[]): Promise<number> {
  const [session, surplus] = positionals;
  if (session === undefined) throw new RondoError('input.invalid', 'Which session? rondo sessions list shows them.');
  if (surplus !== undefined) throw new RondoError('input.invalid', `rondo replay takes no "${surplus}".`);
  const { behavioural = false, liveTools = false, agents } = values;
  const needsTools = behavioural || liveTools;
  const stray = needsTools ? undefined : policyFlags.find((name) => values[name] !== undefined);
  if (stray !== undefined)
    throw new RondoError(
      'input.invalid',
      `${flagSpelling(stray, replayFlags[stray])} is for --behavioural or --live-tools: decisions are the log's.`,
    );
  const other = agents === undefined ? undefined : policyFlags.find((name) => values[name] !== undefined);
  if (other !== undefined)
    throw new RondoError(
      'input.invalid',
      `--agents and ${flagSpelling(other, replayFlags[other])} do not go together: an agent brings its own tools and policy.`,
    );
  const isPath = session.includes('/') || session.endsWith('.jsonl');
  const reference = isPath ? session : (await findSession(session)).sessionId;
  const report = await replaySession(reference, {
    mode: behavioural ? 'behavioural' : 'strict',
    liveTools,
    ...programOf(values, needsTools),
  });
  await print(values.json === true ? `${JSON.stringify(report, null, 2)}\n` : replayText(report));
  return isSame(report) ? 0 : 1;
}

const policyFlags = ['permissionMode', 'allowedTools', 'disallowedTools', 'tools', 'addDir', 'cwd'] as const;

/** What the session runs with today: an agent of a folder, or what the flags say. */
function programOf(values: ReplayValues, needsTools: boolean): Pick<ReplayOptions, 'agents' | 'options'> {
  if (values.agents !== undefined) return { agents: values.agents };
  return needsTools ? { options: optionsOf(values) } : {};
}

/** Today's tools and policy, as `rondo -p` takes them. */
function optionsOf({
  behavioural: _behavioural,
  liveTools: _liveTools,
  json: _json,
  agents: _agents,
  cwd,
  ...policy
}: ReplayValues): Options {
  const options = queryOptions(chatRequest(policy, []), (text) => void process.stderr.write(`rondo: ${text}\n`));
  return cwd === undefined ? options : { ...options, cwd };
}

function isSame({ divergence, changes, hookChanges }: ReplayReport): boolean {
  return divergence === undefined && changes.length === 0 && hookChanges.length === 0;
}
