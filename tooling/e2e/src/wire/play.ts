import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Options, query, type SDKMessage, type SDKUserMessage } from '@rondo/sdk';
import { vi } from 'vitest';
import { createPlace } from '../harness/place.ts';
import { scriptModel } from '../harness/write-script.ts';
import { callOverWire } from './call-over-wire.ts';
import { createLineLog, type LineLog } from './line-log.ts';
import { normalise } from './normalise.ts';
import type { Act, Episode, Outcome, Scenario, Stage, SteeringMethod } from './scenario.ts';
import { startWireClient } from './wire-client.ts';

/** The ways a scenario goes: in this process, over the wire by the client of this folder, and by the SDK's own client. */
export type Way = 'in process' | 'over the wire' | 'by the SDK’s client';

/** One query at work, whichever way. */
interface Working {
  say(message: SDKUserMessage): void;
  call(method: SteeringMethod, input: readonly unknown[]): Promise<unknown>;
  end(): void;
  /** Resolves with the message of what was thrown. */
  readonly over: Promise<string | undefined>;
}

interface Played {
  readonly outcomes: readonly Outcome[];
}

/** Plays every episode of a scenario one way, and gives what came of each, up to IDs, times and places. */
export async function play(scenario: Scenario, way: Way, command: string): Promise<Played> {
  using place = createPlace();
  for (const [name, text] of Object.entries(scenario.files ?? {})) writeAt(join(place.project, name), text);
  // Each query plays its part of a script that several share.
  const unused = scenario.episodes.length > 1 ? 'ignore' : 'error';
  const model = scriptModel(place, scenario.steps, { unused, ...scenario.script });
  const env = place.env(scenario.env);
  const logs: LineLog[] = [];
  const outcomes: Outcome[] = [];
  for (const episode of scenario.episodes) {
    const asked: (readonly unknown[])[] = [];
    const log = createLineLog();
    logs.push(log);
    const stage: Stage = {
      project: place.project,
      note: (...details) => void asked.push(structuredClone(details)),
      sessionId: (number = 0) => logs[number]?.lines[0]?.session_id ?? '',
      lines: (number = 0) => logs[number]?.lines ?? [],
    };
    const own = typeof episode.options === 'function' ? episode.options(stage) : (episode.options ?? {});
    // On the wire a message's way is always told, and nothing of the surroundings is to differ.
    const options: Options = { cwd: place.project, model, env, stderr: () => {}, ...own };
    const working = begin(way, episode, options, { command, log });
    const answers =
      typeof episode.prompt === 'string' ? [] : await perform(episode.prompt, working, log, place.project);
    working.end();
    const error = await working.over;
    outcomes.push(
      normalise(
        { lines: log.lines, answers, asked, files: filesOf(place.project), ...(error === undefined ? {} : { error }) },
        { folder: place.folder },
      ),
    );
  }
  return { outcomes };
}

interface BeginParts {
  readonly command: string;
  readonly log: LineLog;
}

function begin(way: Way, { prompt }: Episode, options: Options, { command, log }: BeginParts): Working {
  switch (way) {
    case 'in process':
      return beginQuery(prompt, { ...options, commandLifecycle: true }, namedOnly(log, uuidsOf(prompt)));
    case 'by the SDK’s client':
      return beginQuery(prompt, { ...options, pathToClaudeCodeExecutable: command }, log);
    case 'over the wire':
      return beginWire(prompt, options, command, log);
  }
}

/**
 * On the wire it is told how far a message has come that was sent with a uuid, and of no other; in process it is told of all, on
 * demand. So what is compared is what is told of those.
 */
function namedOnly(log: LineLog, uuids: ReadonlySet<string | undefined>): LineLog {
  const put = (line: SDKMessage): void => {
    if (line.type !== 'command_lifecycle' || uuids.has(line.command_uuid)) log.put(line);
  };
  return { ...log, put };
}

function uuidsOf(prompt: Episode['prompt']): ReadonlySet<string | undefined> {
  if (typeof prompt === 'string') return new Set();
  return new Set(prompt.flatMap((act) => ('say' in act && typeof act.say !== 'string' ? [act.say.uuid] : [])));
}

function beginQuery(prompt: Episode['prompt'], options: Options, log: LineLog): Working {
  const messages = pushable<SDKUserMessage>();
  const working = query({ prompt: typeof prompt === 'string' ? prompt : messages.values, options });
  const read = async (): Promise<string | undefined> => {
    try {
      for await (const line of working) log.put(line);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      log.end();
    }
  };
  return {
    say: messages.push,
    end: messages.end,
    call: (method, input) =>
      (working[method] as unknown as (...input: readonly unknown[]) => Promise<unknown>)(...input),
    over: read(),
  };
}

function beginWire(prompt: Episode['prompt'], options: Options, command: string, log: LineLog): Working {
  const client = startWireClient({
    command,
    options,
    env: options.env ?? {},
    onLine: (line) => log.put(line as unknown as SDKMessage),
  });
  if (typeof prompt === 'string') {
    client.say({
      type: 'user',
      session_id: '',
      message: { role: 'user', content: [{ type: 'text', text: prompt }] },
      parent_tool_use_id: null,
    });
  }
  return {
    say: client.say,
    end: client.end,
    call: (method, input) => callOverWire(client, method, input),
    over: client.exited.then(({ code, signal, stderr }) => {
      log.end();
      return code === 0 ? undefined : `exit ${code ?? signal}: ${stderr}`;
    }),
  };
}

/** Does what the program does, in order, and gives what its methods gave. */
async function perform(acts: readonly Act[], working: Working, log: LineLog, folder: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const act of acts) {
    if ('say' in act) working.say(typeof act.say === 'string' ? userMessage(act.say) : act.say);
    else if ('until' in act) await log.seen(act.until, act.times ?? 1);
    else if ('appears' in act) await vi.waitFor(() => statSync(join(folder, act.appears)), 60_000);
    else if ('write' in act) writeAt(join(folder, act.write), act.text ?? '');
    else {
      answers.push(
        await working.call(act.call, act.with ?? []).catch((error: unknown) => ({ error: (error as Error).message })),
      );
    }
  }
  return answers;
}

function userMessage(text: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
}

function pushable<Value>() {
  const queue: Value[] = [];
  let isOver = false;
  let wake = (): void => {};
  async function* values(): AsyncGenerator<Value> {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) yield next;
      else if (isOver) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    values: values(),
    push(value: Value) {
      queue.push(value);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
}

function writeAt(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function filesOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[relative(folder, path)] = readFileSync(path, 'utf8');
  }
  return files;
}
