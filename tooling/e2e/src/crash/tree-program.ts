// A host of its own: begins a session whose agent asks before it charges, goes on with what a crash left, or answers.
import { appendFileSync } from 'node:fs';
import { compilePolicy, defineTool } from '@rondo/runtime';
import { createNodeRuntime } from '@rondo/runtime/node';
import { call, refusingSandbox, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';

const [, , home = '', how = '', charges = '', sessionId = '', callbackId = ''] = process.argv;

const charge = defineTool({
  name: 'charge',
  description: 'Must not happen twice.',
  input: { type: 'object' },
  run() {
    appendFileSync(charges, 'charged\n');
    return 'charged';
  },
});

/** Where a conversation is tells what comes next, whichever process asks. */
function model(name: string, replies: readonly ScriptedStep[]) {
  return {
    name,
    stream: (...[request, options]: Parameters<ReturnType<typeof scriptedModel>['stream']>) => {
      const reply = replies[request.messages.filter(({ role }) => role === 'assistant').length] ?? say('no more');
      return scriptedModel([reply], { name }).stream(request, options);
    },
  };
}

const runtime = createNodeRuntime({ home });
const bindingId = runtime.bind({
  agent: { name: 'cashier', fingerprint: 'f1' },
  cwd: home,
  model: model('scripted/root', [call('agents.spawn', { agent: 'clerk', task: 'charge it' }), say('all done')]),
  system: 'Have it charged.',
  tools: [charge],
  policy: compilePolicy({ directories: [home] }),
  unattended: 'wait',
  sandbox: refusingSandbox,
  env: {},
  subagents: [
    {
      name: 'clerk',
      description: 'Charges.',
      instructions: 'Charge.',
      model: model('scripted/clerk', [call('charge'), say('charged it')]),
    },
  ],
});

function print(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function work(id: string): Promise<void> {
  const signal = new AbortController().signal;
  for await (const batch of runtime.subscribe(id, { signal })) {
    for (const event of batch) {
      if (!('turnId' in event) || event.turnId === undefined) continue;
      if (event.type === 'turn.updated') print(await runtime.readTurn({ sessionId: id, turnId: event.turnId }));
      if (event.type !== 'turn.ended') continue;
      print(event.record);
      await runtime.close();
      return;
    }
  }
}

if (how === 'start') {
  const created = await runtime.createSession({ bindingId });
  print(created);
  const content = [{ type: 'text' as const, text: 'go' }];
  await runtime.startTurn({ ...created, bindingId, content });
  await work(created.sessionId);
} else if (how === 'recover') {
  print(await runtime.recover({ bindingIds: [bindingId] }));
  await work(sessionId);
} else {
  runtime.unbind(bindingId);
  print(await runtime.answerCallback({ sessionId, callbackId, answer: { type: 'allow' } }, { by: 'another process' }));
  print(await runtime.readSession({ sessionId }));
  await runtime.close();
}
