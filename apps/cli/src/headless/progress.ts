import type { SDKMessage, SDKResultMessage } from '@rondo/sdk';
import { createMessageLines } from '../terminal/message-lines.ts';
import { createPainter, type Paint } from '../terminal/painter.ts';
import { toolLine } from '../terminal/tool-line.ts';

/** Tells a person on standard error what a headless run is doing, a line a call. Nothing when nobody watches. */
export function createProgress(stderr: NodeJS.WriteStream, verbose: boolean): (message: SDKMessage) => void {
  if (!stderr.isTTY && !verbose) return () => {};
  const cwd = process.cwd();
  const width = stderr.columns ?? 120;
  const paint = createPainter(stderr);
  const lines = createMessageLines({ cwd, width, paint, detail: verbose ? 'results' : 'calls' });
  return (message) => {
    const told = message.type === 'result' ? refusals(message, { cwd, width, paint }) : lines(message);
    if (told.length > 0) stderr.write(`${told.join('\n')}\n`);
  };
}

/** What was not allowed, and how to allow it next time. */
function refusals(result: SDKResultMessage, options: { cwd: string; width: number; paint: Paint }): string[] {
  const denied = result.permission_denials.map(
    (denial) => `  ${toolLine(denial.tool_name, denial.tool_input, { cwd: options.cwd, width: options.width - 2 })}`,
  );
  if (denied.length === 0) return [];
  return [options.paint('yellow', 'Not allowed (see --allowedTools and --permission-mode):'), ...new Set(denied)];
}
