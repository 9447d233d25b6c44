import type { BindingRecord, ToolKind } from '@rondo/protocol';
import type { Policy } from '../permission/policy.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Tool } from '../tool/tool.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import type { Binding } from '../turn/binding.ts';
import type { Model } from '../model/model.ts';
import type { RecordedCall } from './recorded-calls.ts';
import type { RecordedEvents } from './recorded-events.ts';
import { recordedEventHooks } from './recorded-event-hooks.ts';
import { recordedFallback } from './recorded-fallback.ts';
import { recordedHooks } from './recorded-hooks.ts';
import { recordedOutputCheck } from './recorded-output-check.ts';
import { createRecordedTool, type RecordedToolOptions, withRecordedCalls } from './recorded-tool.ts';

export interface ReplayBindingOptions {
  readonly record: BindingRecord;
  readonly model: Model;
  /** What the session's program runs it with, where the caller has it. */
  readonly bound: Binding | undefined;
  readonly isSameAgent: boolean;
  readonly tools: RecordedToolOptions;
  readonly isStopped: () => boolean;
}

/** What a recorded turn runs with: the agent's own prompt, tools and policy where they are there; answers from the log. */
export function replayBinding({ record, model, bound, isSameAgent, tools, isStopped }: ReplayBindingOptions): Binding {
  const { recorded } = tools;
  return {
    agent: record.agent,
    cwd: record.cwd,
    system: bound?.system ?? '',
    // A tool that another policy takes away today was there all the same.
    policy: (isSameAgent ? bound?.policy : undefined) ?? emptyPolicy(record),
    unattended: record.unattended,
    sandbox: bound?.sandbox ?? nothingRuns,
    env: bound?.env ?? {},
    ...(bound?.maxOutputTokens === undefined ? {} : { maxOutputTokens: bound.maxOutputTokens }),
    ...(bound?.thinking === undefined ? {} : { thinking: bound.thinking }),
    ...(bound?.adaptiveThinking === undefined ? {} : { adaptiveThinking: bound.adaptiveThinking }),
    ...(bound?.effort === undefined ? {} : { effort: bound.effort }),
    ...(bound?.temperature === undefined ? {} : { temperature: bound.temperature }),
    ...(bound?.output === undefined ? {} : { output: bound.output }),
    model,
    tools: toolsOf(bound?.tools, tools),
    hooks: recordedHooks({ ...tools, names: record.hooks, isStopped }),
    eventHooks: recordedEventHooks({ ...tools, names: record.hooks, isStopped }),
    ...setupOf(recorded),
    ...(bound?.hookRetries === undefined ? {} : { hookRetries: bound.hookRetries }),
    ...recordedOutputCheck(recorded),
    get fallback() {
      return recordedFallback(recorded, model);
    },
    get retry() {
      return retriesAhead(recorded);
    },
  };
}

/** Tools that only the log knows stand beside those of the agent, so that their calls have one. */
function toolsOf(bound: readonly Tool[] | undefined, options: RecordedToolOptions): Tool[] {
  const isBound = bound !== undefined;
  const tools = (bound ?? []).map((tool) => withRecordedCalls(tool, options));
  const known = new Set(tools.map(({ name }) => name));
  for (const call of options.calls.all.values()) {
    if (known.has(call.name) || (isBound && !isJudged(call))) continue;
    known.add(call.name);
    tools.push(createRecordedTool(call.name, kindOf(call.requested?.toolKind), options));
  }
  return tools;
}

const isJudged = ({ decided, started, opened }: RecordedCall): boolean =>
  decided !== undefined || started !== undefined || opened !== undefined;

const kindOf = (kind: ToolKind | undefined): ToolKind => kind ?? 'local';

function setupOf({ all }: RecordedEvents): Pick<Binding, 'setup'> {
  const setup = all.find((event) => event.type === 'hook.started' && event.event === 'Setup');
  const subject = setup?.type === 'hook.started' ? setup.subject : undefined;
  return subject === 'init' || subject === 'maintenance' ? { setup: subject } : {};
}

function emptyPolicy({ cwd, permissionMode }: BindingRecord): Policy {
  return { sources: [], mode: permissionMode, directories: [cwd] };
}

/** It was tried again, however long the provider asked to wait. */
function retriesAhead(recorded: RecordedEvents): Partial<RetryPolicy> {
  for (const event of recorded.ahead())
    if (event.type === 'model.retried')
      return { maxRetries: event.maxRetries, maxRetryAfterMs: Number.POSITIVE_INFINITY };
  return {};
}

const nothingRuns: Sandbox = {
  exec: () => Promise.reject(new Error('a replay runs no commands')),
  describe: () => ({ name: 'replay', enforced: ['every command'] }),
};
