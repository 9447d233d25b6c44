import { checkContent, kindOf } from '../tool/checked-content.ts';
import { jsonOf } from '../tool/json-of.ts';
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
  const { content, structured, remembered } = given;
  return {
    ...given,
    content: jsonOf(content),
    ...(structured === undefined ? {} : { structured: jsonOf(structured) }),
    ...(remembered === undefined ? {} : { remembered: jsonOf(remembered) }),
  };
}
