import type { JsonObject } from '@rondo/protocol';
import type { ModelRequest } from '@rondo/runtime';
import { constrainedOutput, type ConstrainedOutput } from './constrained-output.ts';

export interface PlacedOutput {
  /** The request's own; where there is no `format` for its output, the schema stands at its end. */
  readonly system: string;
  /** What the vendor is to hold the reply to. */
  readonly format?: ConstrainedOutput;
}

/** What vendors call the format by that ask for a name. */
export const outputName = 'output';

/** Whether every object requires all its properties, which the schema of a strict format has to. */
export function isStrict({ optional }: ConstrainedOutput): boolean {
  return optional === 0;
}

/**
 * How the schema of a request's output goes to the model: as a format where the vendor takes one that can say it,
 * otherwise in words.
 */
export function placeOutput(
  { system, output }: ModelRequest,
  takes: (format: ConstrainedOutput) => boolean,
): PlacedOutput {
  if (output === undefined) return { system };
  const format = constrainedOutput(output.schema);
  if (format !== undefined && takes(format)) return { system, format };
  const said = instruction(output.schema);
  return { system: /\S/.test(system) ? `${system}\n\n${said}` : said };
}

const instructions = new WeakMap<JsonObject, string>();

function instruction(schema: JsonObject): string {
  let text = instructions.get(schema);
  if (text === undefined) {
    text = `Your final answer is JSON that fits this JSON Schema, with no other text before or after it:\n${JSON.stringify(schema)}`;
    instructions.set(schema, text);
  }
  return text;
}
