// Makes a home to be read: `make-home.ts HOME sessions COUNT`, or `make-home.ts HOME megabytes SIZE` for one session
// of many turns whose log is that long. Prints the ID of the last session.
import type { Model, ModelPart } from '@rondo/runtime';
import { createFileStore, type FileSystem, nodeFileSystem } from '@rondo/runtime/node';
import { openEngine, runTurn } from './open-engine.ts';
import { repeatTurn } from './repeat-turn.ts';

/** Below what the log spills, so that the log itself grows. */
const resultBytes = 48 * 1_024;
const callsAReply = 8;
const callsATurn = 24;
const sessionsAtOnce = 200;
const usage = { inputTokens: 1, outputTokens: 1 };

/** Nobody waits for the power to fail here, and a sync a session would take most of the time. */
const unsynced: FileSystem = {
  ...nodeFileSystem,
  async open(path, mode) {
    const file = await nodeFileSystem.open(path, mode);
    return {
      status: () => file.status(),
      read: (into, offset) => file.read(into, offset),
      write: (bytes, offset) => file.write(bytes, offset),
      truncate: (length) => file.truncate(length),
      close: () => file.close(),
      sync: async () => {},
    };
  },
  syncDirectory: async () => {},
};

/** Asks for so many files, a few a reply, and is done. */
function askingModel(calls: number): Model {
  let left = calls;
  return {
    name: 'bench/asking',
    async *stream(): AsyncGenerator<ModelPart> {
      const many = Math.min(left, callsAReply);
      left -= many;
      yield { type: 'start' };
      if (many === 0) yield* answer();
      for (let index = 0; index < many; index += 1) yield* call(index, left + index);
      yield { type: 'end', stopReason: many === 0 ? 'end_turn' : 'tool_use', usage };
    },
  };
}

function* call(index: number, number: number): Generator<ModelPart> {
  const toolCallId = `call_${number}`;
  const block = { type: 'tool_call', toolCallId, name: 'Read', input: { file_path: `note-${number}` } } as const;
  yield { type: 'block-start', index, block: 'tool_call', toolCallId, name: 'Read' };
  yield { type: 'block-end', index, block };
}

function* answer(): Generator<ModelPart> {
  yield { type: 'block-start', index: 0, block: 'text' };
  yield { type: 'block-end', index: 0, block: { type: 'text', text: 'Done.' } };
}

const [home = '', kind, size] = process.argv.slice(2);
const text = 'the wind turned north; '.repeat(resultBytes / 23);

/** An engine keeps the log of each of its sessions open: each lot of sessions gets one of its own. */
async function makeSessions(many: number, calls: number): Promise<string> {
  await using engine = openEngine({
    model: askingModel(calls),
    store: createFileStore({ home, fileSystem: unsynced }),
    read: (path) => Promise.resolve(`${path}: ${text}`),
  });
  const sessions = await Promise.all(Array.from({ length: many }, () => runTurn(engine, 'What do the notes say?')));
  return sessions.at(-1)?.id ?? '';
}

let last = '';
if (kind === 'megabytes') {
  last = await makeSessions(1, callsATurn);
  await repeatTurn(createFileStore({ home, fileSystem: unsynced }), last, Number(size) * 1_048_576);
} else {
  for (let left = Number(size); left > 0; left -= sessionsAtOnce)
    last = await makeSessions(Math.min(sessionsAtOnce, left), 0);
}
process.stdout.write(`${last}\n`);
