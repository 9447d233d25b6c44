// Records what `rondo demo` plays: the demo as it is, with the story's model in the place of the recording.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScriptModel, readScriptFile, scriptVariables } from '@rondo/providers/scripted';
import { runDemo } from '../src/demo/run-demo.ts';
import { finishRecording } from './finish-recording.ts';

const storyFile = join(import.meta.dirname, 'demo-story.yaml');
const recordingFile = join(import.meta.dirname, '..', 'src', 'demo', 'demo.yaml');

const folder = await mkdtemp(join(tmpdir(), 'rondo-record-demo-'));
// The session is nobody's, and no settings of the person who records belong to the demo.
process.env['RONDO_HOME'] = join(folder, 'home');
const record = join(folder, 'demo.yaml');
try {
  process.exitCode = await runDemo({
    record,
    model: async (cwd) => {
      const variables = scriptVariables({ cwd });
      return createScriptModel(await readScriptFile(storyFile, { file: 'demo-story.yaml', variables }));
    },
  });
  if (process.exitCode === 0) {
    await writeFile(recordingFile, finishRecording(await readFile(record, 'utf8')));
    process.stdout.write(`\nRecorded: ${recordingFile}\n`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
