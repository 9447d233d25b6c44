import { join } from 'node:path';
import { readScriptFile, scriptVariables, type Script } from '@rondo/providers/scripted';

/** Beside this module, in the package as in the source. `npm run demo:record` writes it. */
const recordingFile = join(import.meta.dirname, 'demo.yaml');

/** What a model was asked and said when the demo was recorded, for the sample project in that folder. */
export function readDemoRecording(folder: string): Promise<Script> {
  return readScriptFile(recordingFile, { file: 'demo.yaml', variables: scriptVariables({ cwd: folder }) });
}
