import { resolve } from 'node:path';
import { createScriptModel, type ScriptModel } from './create-script-model.ts';
import { readScriptFile } from './read-script.ts';
import { scriptVariables, type VariableSource } from './variables.ts';

/**
 * The model of a script in a file; a relative path is under the session's folder.
 * @throws RondoError `input.invalid` for a file that cannot be played.
 */
export async function scriptModelFromFile(file: string, source: VariableSource = {}): Promise<ScriptModel> {
  const variables = scriptVariables(source);
  const script = await readScriptFile(resolve(variables.cwd, file), { file, variables });
  return createScriptModel(script);
}
