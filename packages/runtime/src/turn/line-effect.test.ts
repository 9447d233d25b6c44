import type { JsonObject } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { compilePolicy } from '../permission/compile-policy.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { sessionScene } from '../testing/session-scene.ts';

const shell = () =>
  recordingTool({
    name: 'Bash',
    effect: 'once',
    ruleContent: 'command',
    access: ({ command }: JsonObject) => (typeof command === 'string' ? { command } : {}),
  });

/** The effects under which the lines were logged as started. */
async function effectsOf(lines: readonly string[], options: { readonly bypass?: boolean } = {}): Promise<unknown[]> {
  const directories = ['/work'] as const;
  const policy =
    options.bypass === true
      ? compilePolicy({ directories, mode: 'bypassPermissions', allowDangerouslySkipPermissions: true })
      : compilePolicy({ directories, allowedTools: ['Bash'] });
  const model = scriptedModel([...lines.map((command) => call('Bash', { command })), say('done')]);
  const scene = await sessionScene({ model, tools: [shell()], binding: { policy } });
  await scene.run('go');
  return (await scene.events()).flatMap((event) => (event.type === 'tool.started' ? [event.effect] : []));
}

test('architecture 4: a line that is known to read only has no effect, and may run again after a crash', async () => {
  const lines = ['ls -la', 'git status', 'grep -rn x . | head', 'for f in a b; do cat $f; done', 'ls 2>/dev/null'];
  expect(await effectsOf(lines)).toEqual(lines.map(() => 'none'));
});

test('every other line is run once', async () => {
  const lines = [
    'rm x',
    'ls; rm x',
    'ls > a',
    'echo $(touch x)',
    '$X',
    'sort -o a b',
    'npm test',
    'eval "$X"',
    'ls (a) b',
    '# x',
  ];
  expect(await effectsOf(lines)).toEqual(lines.map(() => 'once'));
});

test('so is one that nothing had to be known of', async () => {
  expect(await effectsOf(['ls'], { bypass: true })).toEqual(['once']);
});
