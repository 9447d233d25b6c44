// Two hooks of one session: a command of the project's settings that keeps pushes from being forced, and a callback of
// the program that puts every written file under a folder of its own.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, type HookCallback } from '@rondo/sdk';
import { call, say, scriptedModel } from '@rondo/runtime/testing';

const root = await mkdtemp(join(tmpdir(), 'hook-policy-'));
const project = join(root, 'project');
await mkdir(join(project, '.rondo/hooks'), { recursive: true });
await mkdir(join(project, 'drafts'));

// The rule in `if` spares starting the command for other calls. Exit code 2 denies, and the model reads standard error.
await writeFile(
  join(project, '.rondo/hooks/no-force.sh'),
  `if grep -q -e '--force' ; then echo 'Pushes are not forced here.' >&2; exit 2; fi\n`,
);
const command = { type: 'command', command: 'sh .rondo/hooks/no-force.sh', if: 'Bash(git push:*)', timeout: 10 };
await writeFile(
  join(project, '.rondo/settings.json'),
  JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [command] }] } }),
);

const intoDrafts: HookCallback = (input) => {
  if (input.hook_event_name !== 'PreToolUse') return Promise.resolve();
  const written = input.tool_input as { readonly file_path: string };
  return Promise.resolve({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { ...written, file_path: join('drafts', written.file_path) },
    },
  });
};

const model = scriptedModel([
  call('Bash', { command: 'cd . && git push --force origin main' }),
  call('Write', { file_path: 'plan.md', content: 'First, look.' }),
  say('I may not force the push; the plan is written.'),
]);
const lines = query({
  prompt: 'Push it, then write a plan',
  options: {
    model,
    cwd: project,
    home: join(root, 'home'),
    // The hooks that a folder brings run only where somebody answers for them.
    trustFolder: true,
    allowedTools: ['Bash'],
    hooks: { PreToolUse: [{ matcher: 'Write', hooks: [intoDrafts] }] },
  },
});
for await (const line of lines) if (line.type === 'result') assert.equal(line.subtype, 'success');

const told = JSON.stringify(model.requests.at(-1)?.messages);
assert.match(told, /Pushes are not forced here\./);
assert.equal(await readFile(join(project, 'drafts/plan.md'), 'utf8'), 'First, look.');
assert.equal(existsSync(join(project, 'plan.md')), false);
model.assertDone();
await rm(root, { recursive: true });
console.log('A command of the settings denied the call, and a callback moved the file.');
