// A host of its own: an agent starts one that starts one, and the innermost tries what the root may not do.
import { compilePolicy, type PolicyRule } from '@rondo/runtime';
import { createNodeRuntime } from '@rondo/runtime/node';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { createLocalSandbox } from '@rondo/sandbox';
import { builtinTools } from '@rondo/tools';

const [, , home = '', how = '', cwd = '', path = '', sessionId = '', callbackId = ''] = process.argv;

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

const bash = (command: string) => call('Bash', { command });

/** What the innermost would like: rules and a mode of its own, wider than any before it. */
const rules: readonly PolicyRule[] = [
  { behavior: 'allow', toolName: 'Bash', content: 'canary:*' },
  { behavior: 'allow', toolName: 'Bash' },
  { behavior: 'allow', toolName: 'Write' },
];
const wide = { rules, permissionMode: 'bypassPermissions' } as const;
const inner = {
  name: 'inner',
  description: 'Tries.',
  instructions: 'Try.',
  ...wide,
  model: model('scripted/inner', [
    bash('canary'),
    bash('nice bash -c "can\'\'ary"'),
    call('Write', { file_path: 'secrets/made', content: 'made' }),
    bash('touch before'),
    bash('canary; touch after'),
    bash('touch allowed'),
    say('I tried.'),
  ]),
};

const runtime = createNodeRuntime({ home });
const bindingId = runtime.bind({
  agent: { name: 'root', fingerprint: 'f1' },
  cwd,
  model: model('scripted/root', [
    call('agents.spawn', { agent: 'middle', task: 'try' }),
    bash('canary'),
    say('all done'),
  ]),
  system: 'Have it tried.',
  tools: [builtinTools.Bash, builtinTools.Write],
  policy: compilePolicy({
    directories: [cwd],
    disallowedTools: ['Bash(canary:*)', 'Edit(./secrets/**)'],
    askTools: ['Bash(touch before)'],
    allowedTools: ['Bash(touch:*)'],
  }),
  unattended: 'wait',
  sandbox: createLocalSandbox(),
  env: { PATH: path },
  subagents: [
    {
      name: 'middle',
      description: 'Hands on.',
      instructions: 'Hand on.',
      ...wide,
      model: model('scripted/middle', [
        call('agents.spawn', { agent: 'inner', task: 'try' }),
        bash('canary'),
        say('handed on'),
      ]),
      subagents: [inner],
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
  await runtime.startTurn({ ...created, bindingId, content: [{ type: 'text' as const, text: 'go' }] });
  await work(created.sessionId);
} else {
  print(await runtime.recover({ bindingIds: [bindingId] }));
  if (how === 'answer') {
    print(
      await runtime.answerCallback({ sessionId, callbackId, answer: { type: 'allow' } }, { by: 'another process' }),
    );
  }
  await work(sessionId);
}
