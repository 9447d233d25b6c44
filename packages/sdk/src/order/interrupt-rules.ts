import { interruptionOf, kindOf, type LineRules } from './line-fault.ts';

/** What may stand between the word that a turn was stopped and its result. */
const beside: ReadonlySet<string> = new Set(['system/informational', 'system/notification', 'system/hook_response']);

/** Section 3.4: what was said by then, marked; the results of open calls; the word that it was stopped; the result. */
export const interruptRules: LineRules = (lines, report, { cut }) => {
  let aborted = false;
  let said: 'aborted_streaming' | 'aborted_tools' | undefined;
  lines.forEach((line, index) => {
    const kind = kindOf(line);
    const word = interruptionOf(line);
    if (line.type === 'result') {
      if (said !== undefined && (line.terminal_reason !== said || !line.is_error))
        report(
          'interrupt.result',
          index,
          `${said} was said, and the result is ${line.terminal_reason ?? line.subtype}`,
        );
      if (aborted && line.subtype !== 'error_during_execution')
        report('interrupt.result', index, `a reply was cut off, and the result is ${line.subtype}`);
      aborted = false;
      said = undefined;
      return;
    }
    if (said !== undefined && !beside.has(kind))
      report('interrupt.result-next', index, `${kind} comes between the word of an interrupt and its result`);
    if (word !== undefined) said = word;
    if (line.type !== 'assistant' || line.parent_tool_use_id !== null) return;
    if (aborted && line.aborted !== true && line.error === undefined)
      report('interrupt.ends-turn', index, 'the model goes on behind a reply that was cut off');
    if (line.aborted === true) aborted = true;
  });
  if (said !== undefined && cut !== true)
    report('interrupt.result-next', lines.length, 'no result behind an interrupt');
};
