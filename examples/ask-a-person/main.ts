// `query()` with a function that answers permission questions: one command is allowed with other arguments, one denied.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, type CanUseTool } from '@rondo/sdk';
import { call, say, scriptedModel } from '@rondo/runtime/testing';

const folder = mkdtempSync(join(tmpdir(), 'rondo-ask-'));
const model = scriptedModel([
  [call('Bash', { command: 'echo draft > note.txt' }), call('Bash', { command: 'rm -r .' })],
  say('Wrote the note; the folder stays.'),
]);

const canUseTool: CanUseTool = async (_toolName, input) => {
  const command = String(input['command']);
  if (command.startsWith('rm ')) return { behavior: 'deny', message: 'Nothing is removed here.' };
  return { behavior: 'allow', updatedInput: { ...input, command: command.replace('draft', 'final') } };
};

let result = '';
for await (const message of query({
  prompt: 'Write a note, then clean up.',
  options: { model, cwd: folder, canUseTool, tools: ['Bash'] },
})) {
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  result = message.result;
  assert.deepEqual(
    message.permission_denials.map((denial) => denial.tool_input),
    [{ command: 'rm -r .' }],
  );
}

assert.equal(result, 'Wrote the note; the folder stays.');
assert.equal(readFileSync(join(folder, 'note.txt'), 'utf8'), 'final\n');
model.assertDone();
process.stdout.write(`${result}\n`);
