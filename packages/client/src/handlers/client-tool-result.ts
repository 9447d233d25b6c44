import { describeIssues, isStandardSchema } from '@rondo/protocol/values';
import { isAnswer, type PlainAnswer, plainAnswer } from '../answer/answer.ts';
import { copyJson } from '../content/copy-json.ts';
import type { ClientToolStub } from './client-tool.ts';

/**
 * What a client tool's value is on the wire, the same whoever gives it: a handler, or an answer by ID. Where the tool is
 * known and its output has a Standard Schema, it is held against that.
 * @throws TypeError for a value that is no result of this tool.
 */
export async function clientToolResult(value: unknown, tool: ClientToolStub | undefined): Promise<PlainAnswer> {
  if (!isAnswer(value))
    return { type: 'tool_result', result: copyJson((await checked(value, tool)) ?? null, 'result') };
  if (value.type !== 'tool_result')
    throw new TypeError('a client tool call takes its result, not an approval or a sign-in');
  const answer = plainAnswer(value);
  if (value.result === undefined) return answer;
  return { ...answer, result: copyJson(await checked(value.result, tool), 'structured') } as PlainAnswer;
}

async function checked(value: unknown, tool: ClientToolStub | undefined): Promise<unknown> {
  const schema = tool?.outputSchema;
  if (tool === undefined || schema === undefined || !isStandardSchema(schema)) return value;
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw new TypeError(`the result of ${tool.name} does not fit its output schema: ${describeIssues(result.issues)}`);
}
