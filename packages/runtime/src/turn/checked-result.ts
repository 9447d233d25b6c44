import { checkContent, kindOf } from '../tool/checked-content.ts';
import { findNotJson } from '../tool/standard-schema.ts';
import type { ToolResult } from '../tool/tool.ts';

/**
 * What a tool gave, as the log can carry it. A tool is anybody's code, and what it gives wrong fails its call alone.
 * @throws TypeError saying what does not belong there.
 */
export function checkedResult(given: ToolResult): ToolResult {
  const result: unknown = given;
  if (typeof result !== 'object' || result === null || !('content' in result))
    throw new TypeError(`it gave ${kindOf(result)} where a result with content belongs`);
  checkContent(result.content);
  const { structured, remembered } = given;
  return {
    ...given,
    ...(structured === undefined ? {} : { structured: asJson(structured) }),
    ...(remembered === undefined ? {} : { remembered: asJson(remembered) }),
  };
}

/** The same value where only JSON is in it, else what JSON makes of it. */
function asJson<Value>(value: Value): Value {
  if (findNotJson(value, '') === undefined) return value;
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError(`it gave ${kindOf(value)} where JSON belongs`);
  return JSON.parse(json) as Value;
}
