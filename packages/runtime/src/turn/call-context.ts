import { createPathFilter } from '../permission/path-filter.ts';
import type { ToolContext } from '../tool/tool.ts';
import { createCallQuestions } from './call-questions.ts';
import type { ReadyCall } from './ready-call.ts';
import type { TurnParts } from './turn-parts.ts';

/** What the call's tool is told and may use. */
export function toolContext(
  turn: TurnParts,
  { call, tool, input, inputs }: ReadyCall,
  judgedPlaces?: ReadonlySet<string>,
  // A call that was allowed before a crash runs in the sandbox, if there is one.
  sandboxed = turn.policy().sandbox !== undefined,
): ToolContext {
  const [cwd = turn.binding.cwd, ...additionalDirectories] = turn.policy().directories;
  return {
    sessionId: turn.sessionId,
    turnId: turn.turnId,
    callId: call.callId,
    toolCallId: call.block.toolCallId,
    idempotencyKey: `${turn.sessionId}/${call.callId}`,
    cwd,
    additionalDirectories,
    ...(judgedPlaces === undefined ? {} : { judgedPlaces }),
    pathFilter: () => {
      const { resolvePath, foldCase } = turn;
      return createPathFilter({ tool, input, policy: turn.policy(), resolvePath, foldCase });
    },
    env: turn.binding.env,
    sandbox: turn.binding.sandbox,
    sandboxed,
    outputDirectory: turn.outputDirectory,
    remembered: turn.state.remembered,
    inputs,
    signal: turn.signal,
    progress(progress) {
      // A tool that does not know that it has ended may go on telling.
      if (turn.state.active?.calls.get(call.callId)?.status !== 'started' || !turn.shows('tool.progress')) return;
      turn.show(() => ({
        type: 'tool.progress',
        sessionId: turn.sessionId,
        turnId: turn.turnId,
        after: turn.state.cursor,
        callId: call.callId,
        progress,
      }));
    },
    ...createCallQuestions(turn, call, tool, input),
  };
}
