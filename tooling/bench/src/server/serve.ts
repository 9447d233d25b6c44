// The bench's model server by hand, for a profiler: prints where each conversation is, and stays until interrupted.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandScenarios } from '../scenario/command-scenarios.ts';
import { writeNotes } from '../scenario/note.ts';
import { lateStep } from '../sessions/history-steps.ts';
import { startModelServer } from './start-model-server.ts';

const notes = await mkdtemp(path.join(tmpdir(), 'rondo-bench-notes-'));
await writeNotes(notes, lateStep + 1);
const server = await startModelServer(notes);
process.stdout.write(`The notes are in ${notes}: run the command there.\n`);
for (const { name, conversation } of commandScenarios('rondo')) {
  if (conversation) process.stdout.write(`${name}: ANTHROPIC_BASE_URL=${server.baseUrl(conversation)}\n`);
}
