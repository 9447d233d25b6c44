import { isStandardSchema } from '@rondo/protocol/values';
import type { Handlers } from './handlers/answer-question.ts';
import { isClientTool, type ClientToolStub } from './handlers/client-tool.ts';
import { isClientToolAnswers } from './handlers/client-tool-answers.ts';
import type { HandlerOptions, ToolErrors } from './handlers/handler-options.ts';
import { knownTools } from './handlers/known-tools.ts';
import type { OutputType } from './record/turn-state.ts';

/** What a handle does for its user beside sending and reading; handles that come from it do the same. */
export interface HandleOptions<T = string> extends HandlerOptions {
  /** What the text of completed turns is parsed as, where a call names no other. */
  readonly outputType?: OutputType<T>;
  /** What a client tool's failure does: `report`, unless said, tells the model, `raise` ends the wait with the error. */
  readonly toolErrors?: ToolErrors;
  /** The agent's client tools: results are held against their output schemas, their own functions answer calls. */
  readonly tools?: readonly ClientToolStub[];
}

/** The same as the handles of one session and its subagents share it. */
export interface HandleContext<T = unknown> {
  readonly handlers: Handlers;
  readonly outputType: OutputType<T> | undefined;
  /** How long to wait before each further try of a send that the session refused. */
  readonly busyDelaysMs: readonly number[];
  /** The session is a subagent's: it is read, interrupted and answered, nothing else. */
  readonly isSubagent: boolean;
}

/** @throws TypeError for an option that cannot be. */
export function handleContext<T>(options: HandleOptions<T>, busyDelaysMs: readonly number[]): HandleContext<T> {
  const { onApproval, onSignIn, onClientTool, outputType, toolErrors = 'report', tools } = options;
  for (const [name, handler] of Object.entries({ onApproval, onSignIn }))
    if (handler !== undefined && typeof handler !== 'function') throw new TypeError(`${name} must be a function`);
  if (onClientTool !== undefined && typeof onClientTool !== 'function' && !isClientToolAnswers(onClientTool))
    throw new TypeError('onClientTool must be a function, or made by clientToolAnswers()');
  if (toolErrors !== 'report' && toolErrors !== 'raise')
    throw new TypeError(`toolErrors is ${JSON.stringify(toolErrors)}; it is "report" or "raise"`);
  if (outputType !== undefined) requireOutputType(outputType);
  for (const [index, tool] of (tools ?? []).entries())
    if (!isClientTool(tool)) throw new TypeError(`tools[${index}] is no client tool; make it with clientTool`);
  return {
    handlers: {
      ...(onApproval === undefined ? {} : { onApproval }),
      ...(onSignIn === undefined ? {} : { onSignIn }),
      ...(onClientTool === undefined ? {} : { onClientTool }),
      toolErrors,
      tools: knownTools(tools),
    },
    outputType,
    busyDelaysMs,
    isSubagent: false,
  };
}

/** @throws TypeError for what is no schema. */
export function requireOutputType(outputType: unknown): void {
  const isSchema = (typeof outputType === 'object' || typeof outputType === 'function') && outputType !== null;
  if (!isSchema || !isStandardSchema(outputType))
    throw new TypeError('outputType must be a Standard Schema, such as z.object({ … })');
}

/** @throws TypeError naming the option that cannot be: the same as a handle that is made with them. */
export function checkHandleOptions(options: HandleOptions<unknown>): void {
  handleContext(options, []);
}
