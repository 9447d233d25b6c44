import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import type { AnyEvent, BindingRecord } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { type Binding, type ReadBlob, replaySession as replay, type ReplayReport } from '@rondo/runtime';
import { createFileStore, openLogFile, resolveHome, resolvePath } from '@rondo/runtime/node';
import type { AgentOptions } from '../agent/agent-options.ts';
import type { Options } from '../options/options.ts';
import { sessionNotFound } from './update-session.ts';
import type { HomeOptions } from './with-home.ts';
import { compileBinding } from '../options/compile-binding.ts';

export interface ReplayOptions extends HomeOptions {
  /**
   * `strict`, unless said: everything has to be as it was. `behavioural`: today's hooks and policy decide again what was
   * decided then, while the rest has to be as it was; it takes `agent`, `agents` or `options`.
   */
  mode?: 'strict' | 'behavioural';
  /** Tools without an effect really run, and their results are compared; it takes `agent`, `agents` or `options`. */
  liveTools?: boolean;
  /**
   * What the session's agent is made with. Strictly, its system prompt, tools and settings are compared with those of
   * then. Behaviourally, its hooks and guardrails really run: what they do besides deciding is done.
   */
  agent?: AgentOptions;
  /** A folder of modules such as `rondo serve --agents` takes: the agent in it that the session's log names. */
  agents?: string;
  /**
   * What `query()` would be given today: its tools and its policy. The folder is the session's own unless `cwd` says
   * another.
   */
  options?: Options;
}

interface Recorded {
  readonly sessionId: string;
  readonly read: () => AsyncIterable<AnyEvent>;
  readonly readBlob: ReadBlob;
  close(): Promise<void>;
}

/**
 * Runs a recorded session again, without a model and without a network, and says where it goes another way than its log.
 * Writes nothing.
 * @param session the ID of a session, or the path of a log, which has a slash in it or ends in `.jsonl`.
 * @throws RondoError `session.not_found`; whatever keeps `agent` or `options` from working.
 */
export async function replaySession(
  session: string,
  { mode = 'strict', liveTools = false, agent, agents, options, home }: ReplayOptions = {},
): Promise<ReplayReport> {
  const given = [agent, agents, options].filter((program) => program !== undefined).length;
  if (given > 1)
    throw new TypeError('replaySession takes one of agent, agents and options: each is what the session runs with');
  if ((mode === 'behavioural' || liveTools) && given === 0) {
    const what = liveTools ? 'liveTools' : "mode: 'behavioural'";
    throw new TypeError(
      `replaySession with ${what} takes agent, agents or options: there the hooks, the policy and the tools are`,
    );
  }
  const place = home === undefined ? resolveHome() : resolve(home);
  const recorded = await openRecorded(session, place);
  try {
    const named = agents === undefined ? agent : await agentNamedIn(agents, recorded);
    const binding = await bindingOf({ agent: named, options }, { session, recorded, home: place });
    return await replay({
      sessionId: recorded.sessionId,
      events: recorded.read(),
      readBlob: recorded.readBlob,
      sha256: (text) => hash('sha256', text),
      resolvePath,
      foldCase: process.platform === 'darwin' || process.platform === 'win32',
      mode,
      liveTools,
      ...(binding === undefined ? {} : { binding, isSameAgent: named !== undefined && mode === 'strict' }),
    });
  } finally {
    await recorded.close();
  }
}

async function openRecorded(session: string, home: string): Promise<Recorded> {
  if (session.includes('/') || session.endsWith('.jsonl')) {
    const log = await openLogFile(resolve(session));
    return { sessionId: log.sessionId, read: () => log.read(), readBlob: log.readBlob, close: () => Promise.resolve() };
  }
  const store = createFileStore({ home });
  if ((await store.describe(session)) === undefined) {
    await store.close();
    throw sessionNotFound(session);
  }
  const blobs = store.blobs(session);
  return {
    sessionId: session,
    read: () => store.read(session),
    readBlob: (blob) => blobs.read(blob),
    close: () => store.close(),
  };
}

interface Place {
  readonly session: string;
  readonly recorded: Recorded;
  readonly home: string;
}

async function bindingOf(
  { agent, options }: { readonly agent: AgentOptions | undefined; readonly options: Options | undefined },
  { session, recorded, home }: Place,
): Promise<Binding | undefined> {
  // A model that needs neither key nor network; it is never asked.
  const path = session.includes('/') || session.endsWith('.jsonl') ? resolve(session) : session;
  const model = `replay/${path}`;
  if (agent !== undefined) {
    const { compileAgent } = await import('../agent/compile-agent.ts');
    return await compileAgent({ cwd: await folderOf(recorded), ...agent, model }, agent.env ?? process.env, home);
  }
  if (options === undefined) return undefined;
  const note = (text: string): void => {
    options.stderr?.(text);
  };
  const env = options.env ?? process.env;
  return await compileBinding({ cwd: await folderOf(recorded), ...options, model }, { env, home, note });
}

/** The session's folder, as its log begins. */
async function folderOf(recorded: Recorded): Promise<string> {
  return (await beginningOf(recorded))?.cwd ?? process.cwd();
}

async function beginningOf({ read }: Recorded): Promise<BindingRecord | undefined> {
  for await (const event of read()) if (event.type === 'session.created') return event.binding;
  return undefined;
}

async function agentNamedIn(folder: string, recorded: Recorded): Promise<AgentOptions> {
  const { loadAgentDefinitions } = await import('../agent/load-agents.ts');
  const [definitions, beginning] = await Promise.all([loadAgentDefinitions(folder), beginningOf(recorded)]);
  const name = beginning?.agent.name ?? '';
  const found = definitions.find((definition) => definition.name === name);
  if (found !== undefined) return found.options;
  const names = definitions.map((definition) => `"${definition.name}"`).join(', ');
  throw new RondoError('input.invalid', `The session's agent is "${name}"; ${resolve(folder)} has ${names}.`, {
    details: { folder: resolve(folder), agent: name },
  });
}
