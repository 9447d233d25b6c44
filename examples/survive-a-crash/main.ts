// The process dies in the middle of a tool call. The next one opens the session: the call is not run again, the model is
// told that its outcome is unknown, and the turn goes on to its end.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { z } from 'zod';

const folder = process.env['STORY_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'rondo-crash-'));
const sent = join(folder, 'sent.txt');

/** The same agent in both processes; only the script says which part of the story this is. */
function mailer(steps: ScriptedStep[], { dies }: { dies: boolean }) {
  const sendMail = defineTool({
    name: 'send_mail',
    description: 'Sends a mail.',
    input: z.object({ to: z.string() }),
    effect: 'once',
    run: ({ to }) => {
      appendFileSync(sent, `${to}\n`);
      if (dies) process.kill(process.pid, 'SIGKILL');
      return Promise.resolve({ content: 'sent' });
    },
  });
  const model = scriptedModel(steps);
  const agent = new Agent({ model, name: 'mailer', tools: [sendMail], home: join(folder, 'home'), cwd: folder });
  return { agent, model };
}

if (process.env['STORY_FOLDER'] !== undefined) {
  const { agent } = mailer([call('send_mail', { to: 'ada@example.com' })], { dies: true });
  const session = await agent.startSession();
  process.stdout.write(session.id);
  await session.run('Tell Ada.');
}

const first = spawnSync(process.execPath, [...process.execArgv, import.meta.filename], {
  env: { ...process.env, STORY_FOLDER: folder },
  encoding: 'utf8',
});
assert.equal(first.signal, 'SIGKILL');

const steps: ScriptedStep[] = [
  (request) => {
    assert.match(JSON.stringify(request.messages.at(-1)), /outcome|unknown/i);
    return say('I cannot tell whether the mail went out; please check before I send it again.');
  },
];
const { agent, model } = mailer(steps, { dies: false });
const { openTurn } = await agent.openSession(first.stdout);
const record = await openTurn?.result();
assert.equal(record?.type, 'completed');
assert.equal(readFileSync(sent, 'utf8'), 'ada@example.com\n');
model.assertDone();
await agent.close();
process.stdout.write(`${record.text}\n`);
