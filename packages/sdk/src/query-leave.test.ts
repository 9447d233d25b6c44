import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { query, type QueryParameters } from './query.ts';
import { getUnfinishedTurn } from './sessions/get-unfinished-turn.ts';

const sessionId = '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-leave-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Options = NonNullable<QueryParameters['options']>;
const options = (more: Options): Options => ({
  cwd: folder,
  home: join(folder, 'home'),
  env: { PATH: process.env['PATH'] },
  settingSources: [],
  ...more,
});

async function* messages(...texts: string[]): AsyncGenerator<SDKUserMessage> {
  for (const content of texts) yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  // Stays open, as that of a program that may still say something.
  await new Promise(() => {});
}

async function all(lines: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const found: SDKMessage[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

const endings: [how: string, hooks: Pick<Options, 'hooks'>][] = [
  ['without hooks', {}],
  ['with hooks of its end', { hooks: { SessionEnd: [{ hooks: [async () => ({})] }] } }],
];

test.each(endings)(
  'a session that is given up keeps its question, %s, and the next one is asked it',
  async (_how, hooks) => {
    const first = Promise.withResolvers<string>();
    const left = query({
      prompt: messages('make it'),
      options: options({
        ...hooks,
        sessionId,
        model: scriptedModel([call('Bash', { command: 'touch made' })]),
        canUseTool: (_tool, _input, { requestId }) => {
          first.resolve(requestId);
          return new Promise(() => {});
        },
      }),
    });
    const lines = all(left);
    const asked = await first.promise;
    await left.leave();
    expect((await lines).some((line) => line.type === 'result')).toBe(false);
    const open = await getUnfinishedTurn(sessionId, { home: join(folder, 'home') });
    expect(open?.questions).toMatchObject([{ type: 'approval', id: asked }]);

    const second = Promise.withResolvers<string>();
    const next = query({
      prompt: messages(),
      options: options({
        ...hooks,
        resume: sessionId,
        model: scriptedModel([say('not made')]),
        canUseTool: async (_tool, _input, { requestId }) => {
          second.resolve(requestId);
          return { behavior: 'deny', message: 'no' };
        },
      }),
    });
    for await (const line of next) if (line.type === 'result') break;
    expect(await second.promise).toBe(asked);
  },
);
