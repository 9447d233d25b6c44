import { callsOf, kindOf, resultsOf, type LineRules } from './line-fault.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly message: string;
}

/** Section 3.2: a call, what is said of it, its result; and nothing more of the model before every call has its result. */
export const callRules: LineRules = (lines, report, { resumed, cut }) => {
  let open: Call[] = [];
  /** Calls that a hook has put off, whose results come in a later turn. */
  let deferred: Call[] = [];
  let refused: string[] = [];
  lines.forEach((line, index) => {
    if (line.type === 'assistant' && line.parent_tool_use_id === null) {
      const earlier = open.find((call) => call.message !== line.message.id);
      if (earlier !== undefined && line.error === undefined)
        report('call.result-first', index, `the model goes on while ${earlier.name} (${earlier.id}) has no result`);
      for (const { id, name } of callsOf(line)) open.push({ id, name, message: line.message.id });
      return;
    }
    if (line.type === 'system' && line.subtype === 'permission_denied' && line.agent_id === undefined) {
      refused.push(line.tool_use_id);
      if (!isKnown(line.tool_use_id))
        report('denied.open-call', index, `${line.tool_name} is refused, but no call of it waits`);
      return;
    }
    if (line.type === 'tool_progress' && line.parent_tool_use_id === null) {
      if (!isKnown(line.tool_use_id))
        report('progress.open-call', index, `${line.tool_name} is at work, but no call of it waits`);
      return;
    }
    if (line.type === 'user' && line.parent_tool_use_id === null) {
      for (const id of resultsOf(line)) {
        if (!isKnown(id)) report('result.open-call', index, `a result for ${id}, which waits for none`);
        open = without(open, id);
        deferred = without(deferred, id);
      }
      return;
    }
    if (line.type !== 'result') return;
    if (line.terminal_reason === 'tool_deferred') deferred.push(...open);
    else if (open[0] !== undefined)
      report('call.has-result', index, `the turn ends while ${open[0].name} (${open[0].id}) has no result`);
    open = [];
    for (const id of refused) {
      if (!line.permission_denials.some((denial) => denial.tool_use_id === id))
        report('denied.counted', index, `${id} was refused, and the result does not say so`);
    }
    refused = [];
  });
  if (open[0] !== undefined && cut !== true)
    report('call.has-result', lines.length, `${open[0].name} (${open[0].id}) has no result`);

  function isKnown(id: string): boolean {
    return resumed === true || [...open, ...deferred].some((call) => call.id === id);
  }
};

/** A provider may use an ID again: the first call of it gets the result. */
function without(calls: readonly Call[], id: string): Call[] {
  const first = calls.findIndex((call) => call.id === id);
  return calls.filter((_, index) => index !== first);
}

/** One line a block, all of one message together: only results and what is said beside a turn come between them. */
export const replyRules: LineRules = (lines, report) => {
  const ended = new Set<string>();
  let message: string | undefined;
  lines.forEach((line, index) => {
    if (line.type !== 'assistant' || line.parent_tool_use_id !== null) return;
    const { id, content, stop_reason } = line.message;
    if (content.length !== 1) report('reply.one-block', index, `${content.length} blocks in a line`);
    if (stop_reason !== null) report('reply.no-stop-reason', index, 'a line of a reply does not say why it stopped');
    if (ended.has(id)) report('reply.together', index, `message ${id} goes on behind another`);
    if (message !== undefined && message !== id) ended.add(message);
    message = id;
    const next = lines[index + 1];
    if (line.error !== undefined && next?.type !== 'result' && !isBeside(next))
      report('error.result-next', index, `an error is followed by ${next === undefined ? 'nothing' : kindOf(next)}`);
  });
};

function isBeside(line: Parameters<typeof kindOf>[0] | undefined): boolean {
  return line?.type === 'system' && line.subtype !== 'init' && line.subtype !== 'permission_denied';
}
