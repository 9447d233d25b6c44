import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { InputProblem } from './tool.ts';

/** Checks a value below `path`, adds what is wrong to `problems`, and returns it with defaults filled in. Never mutates. */
export type SchemaCheck = (value: JsonValue, path: string, problems: InputProblem[]) => JsonValue;

/** Compiles one keyword. `schema` holds its neighbours, `where` its place for messages. */
export type Keyword = (argument: JsonValue, schema: JsonObject, where: string) => SchemaCheck;

/** Adds a problem. */
export function report(problems: InputProblem[], path: string, message: string): void {
  problems.push({ path, message });
}

/** What a schema that cannot be compiled is refused with. */
export function invalid(where: string, message: string): TypeError {
  return new TypeError(`the input schema${where === '' ? '' : ` at "${where}"`} ${message}`);
}
