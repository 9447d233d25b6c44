/** A line of `json` or `stream-json` output. */
export interface OutputLine {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id: string;
  readonly [field: string]: unknown;
}

/** The lines of the output; one that is no JSON object throws. */
export function outputLines(stdout: string): OutputLine[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as OutputLine);
}

/** The result that the output ends with. */
export function resultOf(stdout: string): OutputLine {
  const result = outputLines(stdout).at(-1);
  if (result?.type !== 'result') throw new Error(`the output does not end with a result: ${stdout}`);
  return result;
}
