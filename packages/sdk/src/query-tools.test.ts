import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '@rondo/protocol';
import { call, say, scriptedModel, type ScriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileBinding } from './options/compile-binding.ts';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { leaseRuntime } from './runtime/runtime-lease.ts';
import { getSessionMessages } from './sessions/get-session-messages.ts';
import { getUnfinishedTurn } from './sessions/get-unfinished-turn.ts';
import { collectFailing, collectMessages } from './testing/collect-messages.ts';

let root = '';
let places = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-tools-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface SetUp {
  readonly model: ScriptedModel;
  readonly options: Options;
  readonly home: string;
  readonly cwd: string;
}

/** A folder with one file and a home of its own. */
async function setUp(steps: readonly ScriptedStep[], more: Options = {}): Promise<SetUp> {
  places += 1;
  const home = join(root, `home-${places}`);
  const cwd = join(root, `work-${places}`);
  await mkdir(cwd);
  await writeFile(join(cwd, 'a.txt'), 'alpha\n');
  const model = scriptedModel(steps);
  return { model, home, cwd, options: { model, home, cwd, env: { PATH: process.env['PATH'] }, ...more } };
}

function resultOf(lines: readonly SDKMessage[]): SDKResultMessage {
  const result = lines.findLast((line) => line.type === 'result');
  if (result === undefined) throw new Error('no result');
  return result;
}

const kinds = (lines: readonly SDKMessage[]) =>
  lines.map((line) => ('subtype' in line ? `${line.type}/${line.subtype}` : line.type));
const write = (path: string, content: string) => call('Write', { file_path: path, content });

describe('a call', () => {
  test('that only reads the folder runs unasked, with its output for the program beside the text', async () => {
    const { options, cwd } = await setUp([call('Read', { file_path: 'a.txt' }), say('It says alpha.')]);
    const lines = await collectMessages(query({ prompt: 'read', options }));
    expect(kinds(lines)).toEqual(['system/init', 'assistant', 'user', 'assistant', 'result/success']);
    expect(lines[0]).toMatchObject({ tools: ['Read', 'Write', 'Edit', 'Bash'], cwd });
    expect(JSON.stringify(lines[2])).toContain('alpha');
    expect(lines[2]).toMatchObject({
      tool_use_result: { file: { content: expect.stringContaining('alpha') as string } },
    });
  });

  test('that nobody is there to allow is denied, said, and counted; nothing happens', async () => {
    const { options, cwd } = await setUp([write('b.txt', 'beta'), say('I could not.')]);
    const lines = await collectMessages(query({ prompt: 'write', options }));
    expect(kinds(lines)).toEqual([
      'system/init',
      'assistant',
      'system/permission_denied',
      'user',
      'assistant',
      'result/success',
    ]);
    expect(lines[2]).toMatchObject({ tool_name: 'Write', decision_reason_type: 'unattended' });
    expect(resultOf(lines).permission_denials).toMatchObject([
      { tool_name: 'Write', tool_input: { file_path: 'b.txt' } },
    ]);
    await expect(readFile(join(cwd, 'b.txt'))).rejects.toThrow('ENOENT');
  });

  test.each([
    { permissionMode: 'acceptEdits' },
    { allowedTools: ['Write'] },
    { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, env: { IS_SANDBOX: '1' } },
  ] satisfies Options[])('that the options allow runs: %j', async (allowing) => {
    const { options, cwd } = await setUp([write('b.txt', 'beta'), say('done')], allowing);
    const lines = await collectMessages(query({ prompt: 'write', options }));
    expect(resultOf(lines).permission_denials).toEqual([]);
    expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('beta');
  });

  test('of a tool that was taken away is unknown to the model', async () => {
    const { options, model } = await setUp([say('ok')], { disallowedTools: ['Bash'], tools: ['Read', 'Bash', 'Blog'] });
    const heard: string[] = [];
    const lines = await collectMessages(
      query({ prompt: 'x', options: { ...options, stderr: (text) => heard.push(text) } }),
    );
    expect(lines[0]).toMatchObject({ tools: ['Read'] });
    expect(model.requests[0]?.tools.map((tool) => tool.name)).toEqual(['Read']);
    expect(heard).toEqual(['options.tools: there is no built-in tool Blog.\n']);
  });

  test('of a search tool runs unasked where it is named, and shows nothing that may not be read', async () => {
    const { options, cwd } = await setUp(
      [
        call('Grep', { pattern: 'alpha' }),
        call('Glob', { pattern: '**' }),
        call('Grep', { pattern: 'x', path: 'keys' }),
        say('ok'),
      ],
      { tools: ['Grep', 'Glob'], disallowedTools: ['Read(./keys)'] },
    );
    await mkdir(join(cwd, 'keys'));
    await writeFile(join(cwd, 'keys', 'alpha'), 'alpha');
    const lines = await collectMessages(query({ prompt: 'find', options }));
    expect(lines[0]).toMatchObject({ tools: ['Glob', 'Grep'] });
    const results = lines.flatMap((line) => (line.type === 'user' ? [line.tool_use_result] : []));
    expect(results).toMatchObject([{ filenames: ['a.txt'] }, { filenames: ['a.txt'], truncated: false }, {}]);
    expect(resultOf(lines).permission_denials).toMatchObject([{ tool_name: 'Grep', tool_input: { path: 'keys' } }]);
    expect(JSON.stringify(lines)).not.toContain('keys/alpha');
  });

  test('of a command sees no key of a model', async () => {
    const env = { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'sk-ant-secret-0123456789', KEPT: 'kept' };
    const { options } = await setUp([call('Bash', { command: 'echo "$ANTHROPIC_API_KEY|$KEPT"' }), say('done')], {
      env,
      allowedTools: ['Bash'],
    });
    const lines = await collectMessages(query({ prompt: 'x', options }));
    expect(JSON.stringify(lines)).toContain('|kept');
    expect(JSON.stringify(lines)).not.toContain('sk-ant-secret');
  });

  test('a key that a command prints all the same is shown and stored nowhere', async () => {
    const env = { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'sk-ant-secret-0123456789' };
    const { options, home } = await setUp([call('Bash', { command: 'echo sk-ant-secret-0123456789' }), say('done')], {
      env,
      allowedTools: ['Bash'],
    });
    const lines = await collectMessages(query({ prompt: 'x', options }));
    expect(JSON.stringify(lines)).not.toContain('sk-ant-secret');
    expect(JSON.stringify(await getSessionMessages(lines[0]?.session_id ?? '', { home }))).not.toContain(
      'sk-ant-secret',
    );
  });
});

describe('canUseTool', () => {
  test('allows, with other arguments than the model wrote', async () => {
    const { options, cwd } = await setUp([write('b.txt', 'beta'), say('done')], {
      canUseTool: async (_tool, input) => ({ behavior: 'allow', updatedInput: { ...input, content: 'gamma' } }),
    });
    const lines = await collectMessages(query({ prompt: 'write', options }));
    expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('gamma');
    expect(lines[1]).toMatchObject({ message: { content: [{ type: 'tool_use', input: { content: 'beta' } }] } });
  });

  test('denies with its own words, which are the model’s to read', async () => {
    const { options, model } = await setUp([write('b.txt', 'beta'), say('ok')], {
      canUseTool: async () => ({ behavior: 'deny', message: 'Not in this folder.' }),
    });
    const lines = await collectMessages(query({ prompt: 'write', options }));
    expect(kinds(lines)).not.toContain('system/permission_denied');
    expect(resultOf(lines).permission_denials).toHaveLength(1);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      content: [{ content: [{ text: 'Not in this folder.' }] }],
    });
  });

  test('denies and stops the turn', async () => {
    const { options, model } = await setUp([write('b.txt', 'beta')], {
      canUseTool: async () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }),
    });
    const lines = await collectFailing(query({ prompt: 'write', options }));
    expect(resultOf(lines)).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
    expect(lines.at(-2)).toMatchObject({
      message: { content: [{ text: '[Request interrupted by user for tool use]' }] },
    });
    model.assertDone();
  });

  test('that fails has denied', async () => {
    const { options, cwd } = await setUp([write('b.txt', 'beta'), say('ok')], {
      canUseTool: async () => Promise.reject(new Error('no connection')),
    });
    const lines = await collectMessages(query({ prompt: 'write', options }));
    expect(JSON.stringify(lines)).toContain('no connection');
    await expect(readFile(join(cwd, 'b.txt'))).rejects.toThrow('ENOENT');
  });

  test('its rules for the session spare the next question', async () => {
    let asked = 0;
    const { options } = await setUp(
      [call('Bash', { command: 'touch x' }), call('Bash', { command: 'touch x' }), say('ok')],
      {
        canUseTool: async (_tool, _input, { suggestions = [] }) => {
          asked += 1;
          const updatedPermissions = suggestions.map((update) => ({ ...update, destination: 'session' as const }));
          return { behavior: 'allow', updatedPermissions };
        },
      },
    );
    await collectMessages(query({ prompt: 'x', options }));
    expect(asked).toBe(1);
  });
});

describe('a session whose process died', () => {
  /** A session that a closed runtime left at a question. */
  async function leftAtQuestion(
    steps: readonly ScriptedStep[] = [],
  ): Promise<SetUp & { sessionId: string; questionId: string }> {
    const made = await setUp([write('b.txt', 'beta'), ...steps], { canUseTool: async () => null, stderr: () => {} });
    const lease = await leaseRuntime(made.home);
    const binding = await compileBinding(made.options, {
      env: made.options.env ?? {},
      home: made.home,
      note: () => {},
    });
    const bindingId = lease.runtime.bind(binding);
    const session = await lease.client.createSession({ bindingId });
    const turn = await session.startTurn('write');
    if (turn.type !== 'turn') throw new Error('busy');
    const record = await turn.result();
    const [question] = record.type === 'blocked' ? record.callbacks : [];
    if (question?.type !== 'approval') throw new Error(`no question is open: ${record.type}`);
    await lease.release();
    return { ...made, sessionId: session.id, questionId: question.id };
  }

  test('is settled when a prompt resumes it, and nothing of it runs', async () => {
    const { options, home, cwd, sessionId } = await leftAtQuestion([say('next')]);
    expect(await getUnfinishedTurn(sessionId, { home })).toMatchObject({ questions: [{ type: 'approval' }] });
    const lines = await collectMessages(query({ prompt: 'go on', options: { ...options, resume: sessionId } }));
    expect(kinds(lines)).toEqual(['system/init', 'assistant', 'result/success']);
    await expect(readFile(join(cwd, 'b.txt'))).rejects.toThrow('ENOENT');
    expect(await getUnfinishedTurn(sessionId, { home })).toBeUndefined();
  });

  test('asks the same question again under a streaming prompt, and the answer goes on with the turn', async () => {
    const { options, cwd, sessionId, questionId } = await leftAtQuestion([say('written')]);
    const asked: string[] = [];
    async function* nothing(): AsyncGenerator<SDKUserMessage> {}
    const canUseTool: Options['canUseTool'] = async (_tool, _input, { requestId }) => {
      asked.push(requestId);
      return { behavior: 'allow' };
    };
    const lines = await collectMessages(
      query({ prompt: nothing(), options: { ...options, canUseTool, resume: sessionId } }),
    );
    expect(asked).toEqual([questionId]);
    expect(kinds(lines)).toEqual(['system/init', 'user', 'assistant', 'result/success']);
    expect(resultOf(lines)).toMatchObject({ result: 'written', num_turns: 2 });
    expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('beta');
  });

  test('drops the question when the streaming prompt says something first', async () => {
    const { options, cwd, sessionId } = await leftAtQuestion([say('next')]);
    async function* prompt() {
      yield {
        type: 'user',
        message: { role: 'user', content: 'never mind' },
        parent_tool_use_id: null,
      } satisfies SDKUserMessage;
    }
    const lines = await collectMessages(query({ prompt: prompt(), options: { ...options, resume: sessionId } }));
    expect(resultOf(lines)).toMatchObject({ result: 'next' });
    await expect(readFile(join(cwd, 'b.txt'))).rejects.toThrow('ENOENT');
  });

  test('cannot go on where something is missing, and says what', async () => {
    const { options, sessionId } = await leftAtQuestion([say('next')]);
    async function* nothing(): AsyncGenerator<SDKUserMessage> {}
    const elsewhere: Options = { ...options, cwd: root, resume: sessionId };
    const stuck = collectMessages(query({ prompt: nothing(), options: { ...elsewhere, unfinished: 'continue' } }));
    await expect(stuck).rejects.toThrow(/turn\.parked|cannot go on here, it needs folder/);
    const lines = await collectMessages(query({ prompt: 'go on', options: elsewhere }));
    expect(resultOf(lines)).toMatchObject({ result: 'next' });
  });
});
