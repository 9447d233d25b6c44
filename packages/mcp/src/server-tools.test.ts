import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@rondo/protocol';
import { isToolError } from '@rondo/protocol/values';
import type { ToolContext } from '@rondo/runtime';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallOptions, McpConnection, McpToolDescription } from './mcp-connection.ts';
import { serverTools, type ServerToolsOptions } from './server-tools.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rondo-mcp-tools-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Answer = (name: string, input: JsonObject, options: CallOptions) => unknown;

function connection(answer: Answer): McpConnection {
  return {
    serverInfo: { name: 's', version: '1' },
    tools: [],
    status: 'connected',
    problemsOf: (_name, input) => ('bad' in input ? [{ path: 'bad', message: 'is not expected' }] : []),
    callTool: async (name, input, options) => await answer(name, input, options),
    close: async () => {},
  };
}

const plain: McpToolDescription = { name: 'do', inputSchema: { type: 'object' } };

function made(described: readonly McpToolDescription[], answer: Answer, more: Partial<ServerToolsOptions> = {}) {
  const reached = connection(answer);
  return serverTools({ server: 's', described, connection: () => reached, ...more });
}

async function run(answer: Answer, more: Partial<ServerToolsOptions> = {}, context: Partial<ToolContext> = {}) {
  const [only] = made([plain], answer, more).tools;
  await using temporary = await temporaryToolContext();
  return await only?.tool.run({}, temporary.context(context));
}

describe('tools that nobody can be told of', () => {
  test('are left out, each with its reason, and the others are there', () => {
    const described: McpToolDescription[] = [
      plain,
      { ...plain, name: 'do' },
      { ...plain, name: 'a b' },
      { ...plain, name: 'a_b' },
      { ...plain, name: '' },
      { ...plain, name: 'x'.repeat(300) },
      { ...plain, name: 'schemaless', inputSchema: undefined },
      { ...plain, name: 'odd', inputSchema: { type: 'string' } },
      { ...plain, name: 'own', unusable: 'its schema cannot be said' },
      { ...plain, name: 'taken' },
    ];
    const { tools, problems } = made(described, () => null, { taken: new Set(['mcp__s__taken']) });
    expect(tools.map(({ tool }) => tool.name)).toEqual(['mcp__s__do', 'mcp__s__a_b']);
    expect(problems).toHaveLength(8);
    for (const problem of problems) expect(problem).toMatch(/^MCP server s: its tool ".*" is left out, since /);
    expect(problems.join('\n')).toMatch(/"own" is left out, since its schema cannot be said/);
  });
});

describe('a tool of a server', () => {
  test('is judged as one that acts, whatever its server says of it', () => {
    const hints = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
    const [hinted] = made([{ ...plain, annotations: hints }], () => null).tools;
    expect(hinted?.tool.effect({})).toBe('once');
    expect(hinted?.tool.access({})).toEqual({});
    expect(hinted?.tool).toMatchObject({ kind: 'mcp', ruleContent: 'none', concurrent: true, annotations: hints });
    const [bare] = made([plain], () => null).tools;
    expect(bare?.tool.concurrent).toBeUndefined();
  });

  test('needs a person where its server says so', () => {
    const [tool] = made([{ ...plain, meta: { 'vendor/requiresUserInteraction': true } }], () => null).tools;
    expect(tool?.tool.requiresPerson).toBe(true);
  });

  test('takes an object that its server does not refuse', () => {
    const [tool] = made([plain], () => null).tools;
    expect(tool?.tool.validate({ good: 1 })).toEqual({ ok: true, input: { good: 1 } });
    expect(tool?.tool.validate({ bad: 1 })).toMatchObject({ ok: false, problems: [{ path: 'bad' }] });
    expect(tool?.tool.validate([])).toMatchObject({ ok: false });
  });

  test('gives what its server gives', async () => {
    expect(await run(() => ({ content: [{ type: 'text', text: 'hi' }] }))).toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
    });
  });

  test.each<[string, Answer, RegExp]>([
    ['throws', () => Promise.reject(new Error('no such row')), /MCP server s failed this call: no such row/],
    ['gives garbage', () => 'garbage', /what is no result of a tool: it gave a string/],
    ['gives a half block', () => ({ content: [{ type: 'text' }] }), /content\[0\]/],
  ])('that %s has failed, and says so to the model', async (_name, answer, message) => {
    const error: unknown = await run(answer).catch((thrown: unknown) => thrown);
    expect(isToolError(error)).toBe(true);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
  });

  test('that gives no answer in its time has failed, and hears so', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const hang: Answer = (_name, _input, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason));
      return new Promise(() => {});
    };
    await expect(run(hang, { callTimeoutMs: 1 })).rejects.toThrow('it gave no answer within 1 ms');
    expect(await aborted.promise).toMatchObject({ message: 'it gave no answer within 1 ms' });
  });

  test('of a server that is gone fails at once', async () => {
    const lost = { connection: () => ({ error: 'it closed the connection' }) };
    await expect(run(() => null, lost)).rejects.toThrow('The MCP server s is not connected: it closed the connection');
  });

  test('keeps in a file what is too long to be read at once', async () => {
    const text = `${'😀'.repeat(60_000)}end`;
    const long: Answer = () => ({
      content: [
        { type: 'text', text },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    });
    const result = await run(long, {}, { outputDirectory: folder, callId: 'entry#0' });
    const [shown, image] = typeof result?.content === 'string' ? [] : (result?.content ?? []);
    const path = join(folder, 'tool-results', 'entry_0.txt');
    expect(shown).toMatchObject({ type: 'text', text: expect.stringContaining(path) });
    expect(JSON.stringify(shown).length).toBeLessThan(5000);
    expect(shown?.type === 'text' && shown.text.isWellFormed()).toBe(true);
    expect(image).toMatchObject({ type: 'image' });
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});
