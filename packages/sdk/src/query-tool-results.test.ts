import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  BashOutput,
  FileEditOutput,
  FileReadOutput,
  FileWriteOutput,
  GlobOutput,
  GrepOutput,
  SDKMessage,
} from '@rondo/protocol';
import { call, pictureBytes, say, scriptedModel, type ScriptedPiece } from '@rondo/runtime/testing';
import { afterAll, expect, test, vi } from 'vitest';
import { query } from './query.ts';
import { collectMessages } from './testing/collect-messages.ts';
import { assertLineOrder } from './order/line-order.ts';

vi.setConfig({ testTimeout: 30_000 });
const root = mkdtempSync(join(tmpdir(), 'rondo-results-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The fields of an output, as the second seed's reference has them: true for those that are always there. */
type Fields<Output> = Record<keyof Output, boolean>;
type OfType<Output, Type> = Extract<Output, { type: Type }>;
const bash: Fields<Required<BashOutput>> = {
  stdout: true,
  stderr: true,
  interrupted: true,
  rawOutputPath: false,
  isImage: false,
  backgroundTaskId: false,
  backgroundedByUser: false,
  dangerouslyDisableSandbox: false,
  returnCodeInterpretation: false,
  structuredContent: false,
  persistedOutputPath: false,
  persistedOutputSize: false,
};
const readText: Fields<OfType<FileReadOutput, 'text'>['file']> = {
  filePath: true,
  content: true,
  numLines: true,
  startLine: true,
  totalLines: true,
};
const readImage: Fields<Required<OfType<FileReadOutput, 'image'>['file']>> = {
  base64: true,
  type: true,
  originalSize: true,
  dimensions: false,
};
const readNotebook: Fields<OfType<FileReadOutput, 'notebook'>['file']> = { filePath: true, cells: true };
const write: Fields<Required<FileWriteOutput>> = {
  type: true,
  filePath: true,
  content: true,
  structuredPatch: true,
  originalFile: true,
  gitDiff: false,
};
const edit: Fields<Required<FileEditOutput>> = {
  filePath: true,
  oldString: true,
  newString: true,
  originalFile: true,
  structuredPatch: true,
  userModified: true,
  replaceAll: true,
  gitDiff: false,
};
const glob: Fields<Required<GlobOutput> & { totalFiles: number }> = {
  durationMs: true,
  numFiles: true,
  filenames: true,
  truncated: true,
  // Rondo's own: how many there are where not all are listed.
  totalFiles: false,
};
const grep: Fields<Required<GrepOutput> & { totalFiles: number }> = {
  // Rondo's own, as above.
  totalFiles: false,
  mode: false,
  numFiles: true,
  filenames: true,
  content: false,
  numLines: false,
  numMatches: false,
  appliedLimit: false,
  appliedOffset: false,
};

type Line = Extract<SDKMessage, { type: 'user' }>;

/** The lines of these calls' results, in one turn. */
async function resultsOf(calls: readonly ScriptedPiece[]): Promise<readonly Line[]> {
  const cwd = mkdtempSync(join(root, 'work-'));
  writeFileSync(join(cwd, 'a.txt'), 'alpha\nbeta\n');
  writeFileSync(join(cwd, 'p.png'), pictureBytes());
  const cell = { cell_type: 'code', metadata: {}, outputs: [], execution_count: null, source: ['1'] };
  writeFileSync(join(cwd, 'n.ipynb'), JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  const lines = await collectMessages(
    query({
      prompt: 'go',
      options: {
        model: scriptedModel([...calls, say('done')]),
        cwd,
        home: mkdtempSync(join(root, 'home-')),
        env: { PATH: process.env['PATH'] },
        settingSources: [],
        tools: ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep'],
        permissionMode: 'acceptEdits',
        allowedTools: ['Bash(echo *)', 'Bash(false)'],
      },
    }),
  );
  assertLineOrder(lines);
  return lines.flatMap((line) => (line.type === 'user' ? [line] : []));
}

function expectFields(output: unknown, fields: Readonly<Record<string, boolean>>): void {
  const keys = Object.keys(output as object);
  expect(keys.filter((key) => !(key in fields))).toEqual([]);
  expect(Object.keys(fields).filter((key) => fields[key] === true && !keys.includes(key))).toEqual([]);
}

test('what tools give to programs has the fields of the reference', async () => {
  const results = await resultsOf([
    call('Bash', { command: 'echo out' }),
    call('Read', { file_path: 'a.txt' }),
    call('Read', { file_path: 'p.png' }),
    call('Read', { file_path: 'n.ipynb' }),
    call('Write', { file_path: 'b.txt', content: 'one\n' }),
    call('Read', { file_path: 'b.txt' }),
    call('Write', { file_path: 'b.txt', content: 'two\n' }),
    call('Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'gamma' }),
    call('Glob', { pattern: '*.txt' }),
    call('Grep', { pattern: 'beta' }),
    call('Grep', { pattern: 'beta', output_mode: 'content', head_limit: 1 }),
    call('Grep', { pattern: 'beta', output_mode: 'count' }),
  ]);
  const outputs = results.map((line) => line.tool_use_result);
  const [ran, text, image, notebook, created, , updated, edited, globbed, ...grepped] = outputs;
  expectFields(ran, bash);
  expect(ran).toMatchObject({ stdout: 'out\n', stderr: '', interrupted: false });
  expect(text).toMatchObject({ type: 'text' });
  expectFields((text as FileReadOutput).file, readText);
  expect(image).toMatchObject({ type: 'image' });
  expectFields((image as FileReadOutput).file, readImage);
  expect(notebook).toMatchObject({ type: 'notebook' });
  expectFields((notebook as FileReadOutput).file, readNotebook);
  expectFields(created, write);
  expect(created).toMatchObject({ type: 'create', originalFile: null, structuredPatch: [] });
  expectFields(updated, write);
  expect(updated).toMatchObject({ type: 'update', originalFile: 'one\n' });
  expectFields(edited, edit);
  expect(edited).toMatchObject({
    originalFile: 'alpha\nbeta\n',
    userModified: false,
    replaceAll: false,
    structuredPatch: [{ oldStart: 1, newStart: 1, lines: ['-alpha', '+gamma', ' beta'] }],
  });
  expectFields(globbed, glob);
  expect(grepped).toHaveLength(3);
  for (const found of grepped) expectFields(found, grep);
  expect(grepped).toMatchObject([{ numFiles: 1 }, { mode: 'content', numLines: 1 }, { mode: 'count', numMatches: 1 }]);
});

test('a result says who let its call run, whether it failed, and that of a command in any case', async () => {
  const [fine, failed, read] = await resultsOf([
    call('Bash', { command: 'echo out' }),
    call('Bash', { command: 'false' }),
    call('Read', { file_path: 'a.txt' }),
  ]);
  expect(fine?.message.content).toMatchObject([{ is_error: false }]);
  expect(fine?.tool_result_meta).toMatchObject([{ permission_decision: { decision: 'accept', source: 'config' } }]);
  expect(failed?.message.content).toMatchObject([{ is_error: true }]);
  expect(failed?.tool_use_result).toMatch(/^Error: /);
  expect(read?.message.content).not.toMatchObject([{ is_error: false }]);
  for (const line of [fine, failed, read]) {
    const [result] = typeof line?.message.content === 'string' ? [] : (line?.message.content ?? []);
    expect(line?.tool_result_meta?.[0]?.id).toBe(result?.type === 'tool_result' ? result.tool_use_id : 'none');
  }
});
