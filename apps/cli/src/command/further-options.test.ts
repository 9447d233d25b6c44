import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chatRequest } from './chat-request.ts';
import { chatFlags } from './chat-flags.ts';
import { parseArguments } from './parse-arguments.ts';

const id = '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11';
const stream = ['--output-format=stream-json', '--input-format=stream-json'];

function request(argv: readonly string[], note: (text: string) => void = () => {}) {
  const { values, positionals } = parseArguments(argv, chatFlags);
  return chatRequest(values, positionals, note);
}

test.each<[readonly string[], object]>([
  [
    ['--fallback-model=haiku', '--agent=lead', '--title=A title'],
    { fallbackModel: 'haiku', agent: 'lead', title: 'A title' },
  ],
  [
    ['--name', 'A title', '--betas=a,b', '--strict-mcp-config'],
    { title: 'A title', betas: ['a', 'b'], strictMcpConfig: true },
  ],
  [
    ['--effort=high', '--max-thinking-tokens=0', '--task-budget', '5000'],
    { effort: 'high', maxThinkingTokens: 0, taskBudget: { total: 5000 } },
  ],
  [['--thinking=disabled'], { thinking: { type: 'disabled' } }],
  [['--thinking=adaptive', '--thinking-display=omitted'], { thinking: { type: 'adaptive', display: 'omitted' } }],
  [['--thinking=enabled', '--max-thinking-tokens=9'], { thinking: { type: 'enabled', budgetTokens: 9 } }],
  [['--json-schema={"type":"object"}'], { outputFormat: { type: 'json_schema', schema: { type: 'object' } } }],
  [['--managed-settings', '{"model":"x"}'], { managedSettings: { model: 'x' } }],
  [
    ['--agents={"a":{}}', '--plugin-dir=/a', '--plugin-dir=/b'],
    {
      agents: { a: {} },
      plugins: [
        { type: 'local', path: '/a' },
        { type: 'local', path: '/b' },
      ],
    },
  ],
  [
    ['--mcp-config', '{"mcpServers":{"a":{"command":"x"}}}', '--mcp-config={"mcpServers":{"b":{}}}'],
    { mcpServers: { a: { command: 'x' }, b: {} } },
  ],
  [['--resume', id, '--resume-session-at', id.toUpperCase()], { resumeSessionAt: id }],
  [['--permission-prompt-tool=mcp__a__b'], { permissionPromptToolName: 'mcp__a__b' }],
  [[...stream, '--permission-prompt-tool=stdio'], {}],
  [
    ['--output-format=stream-json', '--include-hook-events', '--prompt-suggestions', '--forward-subagent-text'],
    { includeHookEvents: true, promptSuggestions: true, forwardSubagentText: true },
  ],
])('%j are options of query()', (argv, options) => {
  expect(request(argv).further).toEqual(options);
});

test.each([
  [['--mcp-config={}'], 'needs an object of servers'],
  [['--mcp-config={"mcpServers":[]}'], 'needs an object of servers'],
  [['--json-schema=[]'], 'takes a JSON object'],
  [['--settings={"a"'], '--settings takes a JSON object'],
  [['--task-budget=0'], 'a whole number from 1'],
  [['--max-thinking-tokens=-1'], 'a whole number from 0'],
  [['--thinking=often'], '--thinking takes adaptive'],
  [['--resume-session-at', id], 'it needs --resume'],
  [['--resume', id, '--resume-session-at=x'], 'takes a UUID'],
  [['--session-mirror'], 'needs --input-format stream-json'],
  [['--include-hook-events'], 'needs --output-format stream-json'],
  [['--replay-user-messages'], 'needs --input-format stream-json'],
  [['--permission-prompt-tool=stdio'], 'needs --input-format stream-json'],
  [['--permission-timeout=3'], 'needs --input-format stream-json'],
  [['--input-format=stream-json'], 'needs --output-format stream-json'],
  [['--input-format=xml'], '--input-format takes text, stream-json'],
  [['--title='], '--title needs a value'],
])('%j is refused in words that help', (argv, message) => {
  expect(() => request(argv)).toThrow(message);
});

test('what programs hand on without a meaning is left out with a word', () => {
  const notes: string[] = [];
  const asked = request([...stream, '--effort=extreme', '--max-turns=0'], (text) => notes.push(text));
  expect(asked).not.toHaveProperty('maxTurns');
  expect(asked.further).toEqual({});
  expect(notes).toHaveLength(2);
});

test('servers of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-flags-'));
  try {
    const file = join(folder, 'servers.json');
    writeFileSync(file, '{"mcpServers":{"a":{"command":"x"}}}');
    expect(request(['--mcp-config', file]).further).toEqual({ mcpServers: { a: { command: 'x' } } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an unknown flag is left out with a word behind it where a program is read', () => {
  const told: string[] = [];
  const { values, positionals } = parseArguments(
    ['--foo', 'bar', '--baz=1', '-y', '--model', 'x', '--qux', '--verbose'],
    chatFlags,
    { onUnknown: (problem) => told.push(problem) },
  );
  expect({ values, positionals }).toEqual({ values: { model: 'x', verbose: true }, positionals: [] });
  expect(told).toHaveLength(4);
});
