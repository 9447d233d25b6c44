import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { laterOptions, needlessOptions, servedOptions } from '../options/option-table.ts';
import { registerHooks } from './hook-registry.ts';
import { initializeFields } from './initialize-fields.ts';
import { optionArguments } from './option-flags.ts';

const baseline = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];
const folder = mkdtempSync(join(tmpdir(), 'rondo-flags-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settingsFile = join(folder, 'settings.json');
writeFileSync(settingsFile, '{"model":"m"}');

const schema = { type: 'object', properties: {} };
const stdioServer = { command: 'server' };
const agents = { reviewer: { description: 'reviews', prompt: 'Review.' } };
const sdkServer = { type: 'sdk', name: 'mine', instance: {} };

/** An option, and what it adds to the command line and to `initialize` beside the empty system prompt. */
const rows: readonly (readonly [options: object, argv: readonly string[], initialize?: object])[] = [
  [{}, []],
  [{ additionalDirectories: ['/a', '/b'] }, ['--add-dir=/a', '--add-dir=/b']],
  [{ agent: 'NAME' }, ['--agent=NAME']],
  [{ agents }, [], { agents }],
  [{ agentProgressSummaries: true }, [], { agentProgressSummaries: true }],
  [{ forwardSubagentText: true }, [], { forwardSubagentText: true }],
  [{ promptSuggestions: true }, [], { promptSuggestions: true }],
  [{ allowDangerouslySkipPermissions: true }, ['--allow-dangerously-skip-permissions']],
  [{ allowDangerouslySkipPermissions: false }, []],
  [{ allowedTools: ['Read', 'Bash(git *)'] }, ['--allowedTools=Read,Bash(git *)']],
  [{ allowedTools: [] }, []],
  [{ disallowedTools: ['WebFetch', 'Bash(rm *)'] }, ['--disallowedTools=WebFetch,Bash(rm *)']],
  [{ betas: ['context-1m-2025-08-07'] }, ['--betas=context-1m-2025-08-07']],
  [{ canUseTool: () => null }, ['--permission-prompt-tool=stdio']],
  [{ permissionPromptToolName: 'mcp__a__b' }, ['--permission-prompt-tool=mcp__a__b']],
  [{ continue: true }, ['--continue']],
  [{ continue: false }, []],
  [{ resume: 'ID' }, ['--resume=ID']],
  [{ resume: 'ID', forkSession: true }, ['--resume=ID', '--fork-session']],
  [{ resume: 'ID', resumeSessionAt: 'UUID' }, ['--resume=ID', '--resume-session-at=UUID']],
  [{ sessionId: 'ID' }, ['--session-id=ID']],
  [{ persistSession: false }, ['--no-session-persistence']],
  [{ persistSession: true }, []],
  [{ title: 'A title' }, [], { title: 'A title' }],
  [{ debug: true }, ['--debug']],
  [{ debugFile: '/tmp/log' }, ['--debug-file=/tmp/log']],
  [{ effort: 'high' }, ['--effort=high']],
  [{ model: 'M', fallbackModel: 'F' }, ['--model=M', '--fallback-model=F']],
  [{ maxTurns: 3 }, ['--max-turns=3']],
  [{ maxTurns: 0 }, ['--max-turns=0']],
  [{ maxBudgetUsd: 1.5 }, ['--max-budget-usd=1.5']],
  [{ maxBudgetUsd: -1 }, ['--max-budget-usd=-1']],
  [{ taskBudget: { total: 5000 } }, ['--task-budget=5000']],
  [{ maxThinkingTokens: 2000 }, ['--max-thinking-tokens=2000']],
  [{ thinking: { type: 'enabled', budgetTokens: 4000 } }, ['--max-thinking-tokens=4000']],
  [{ thinking: { type: 'enabled', budgetTokens: 4000 }, maxThinkingTokens: 1 }, ['--max-thinking-tokens=4000']],
  [{ thinking: { type: 'enabled' } }, ['--thinking=adaptive']],
  [{ thinking: { type: 'adaptive' } }, ['--thinking=adaptive']],
  [{ thinking: { type: 'adaptive', display: 'summarized' } }, ['--thinking=adaptive', '--thinking-display=summarized']],
  [{ thinking: { type: 'disabled' } }, ['--thinking=disabled']],
  [{ includeHookEvents: true }, ['--include-hook-events']],
  [{ includePartialMessages: true }, ['--include-partial-messages']],
  [
    { mcpServers: { a: stdioServer, b: { type: 'http', url: 'http://x' } } },
    ['--mcp-config', '{"mcpServers":{"a":{"command":"server"},"b":{"type":"http","url":"http://x"}}}'],
  ],
  [{ mcpServers: { mine: sdkServer } }, []],
  [{ mcpServers: { mine: sdkServer, a: stdioServer } }, ['--mcp-config', '{"mcpServers":{"a":{"command":"server"}}}']],
  [{ mcpServers: {} }, []],
  [{ strictMcpConfig: true }, ['--strict-mcp-config']],
  [
    { outputFormat: { type: 'json_schema', schema } },
    [`--json-schema=${JSON.stringify(schema)}`],
    { jsonSchema: schema },
  ],
  [{ permissionMode: 'default' }, ['--permission-mode=default']],
  [{ permissionMode: 'no such mode' }, ['--permission-mode=no such mode']],
  [{ planModeInstructions: 'Plan.' }, [], { planModeInstructions: 'Plan.' }],
  [{ toolAliases: { Bash: 'mcp__w__bash' } }, [], { toolAliases: { Bash: 'mcp__w__bash' } }],
  [
    {
      plugins: [
        { type: 'local', path: './p' },
        { type: 'local', path: '/q' },
      ],
    },
    ['--plugin-dir=./p', '--plugin-dir=/q'],
  ],
  [{ settings: { model: 'm' } }, ['--settings', '{"model":"m"}']],
  [{ settings: '/etc/settings.json' }, ['--settings', '/etc/settings.json']],
  [{ sandbox: { enabled: true } }, ['--settings', '{"sandbox":{"failIfUnavailable":true,"enabled":true}}']],
  [
    { settings: { model: 'm' }, sandbox: { enabled: true } },
    ['--settings', '{"model":"m","sandbox":{"failIfUnavailable":true,"enabled":true}}'],
  ],
  [
    { settings: settingsFile, sandbox: { enabled: false } },
    ['--settings', '{"model":"m","sandbox":{"failIfUnavailable":true,"enabled":false}}'],
  ],
  [
    { settings: '{"model":"n"}', sandbox: { enabled: false } },
    ['--settings', '{"model":"n","sandbox":{"failIfUnavailable":true,"enabled":false}}'],
  ],
  [
    { settings: 'settings.json', cwd: folder, sandbox: { enabled: false } },
    ['--settings', '{"model":"m","sandbox":{"failIfUnavailable":true,"enabled":false}}'],
  ],
  [
    { managedSettings: { permissions: { deny: ['Bash'] } } },
    ['--managed-settings', '{"permissions":{"deny":["Bash"]}}'],
  ],
  [{ settingSources: ['project', 'local'] }, ['--setting-sources=project,local']],
  [{ settingSources: [] }, ['--setting-sources=']],
  [{ skills: 'all' }, ['--allowedTools=Skill']],
  [{ skills: ['pdf'] }, ['--allowedTools=Skill(pdf)'], { skills: ['pdf'] }],
  [
    { skills: ['pdf', 'docx'], allowedTools: ['Read'] },
    ['--allowedTools=Read,Skill(pdf),Skill(docx)'],
    { skills: ['pdf', 'docx'] },
  ],
  [{ skills: [] }, [], { skills: [] }],
  [{ systemPrompt: 'SP' }, [], { systemPrompt: ['SP'] }],
  [{ systemPrompt: ['one', 'two'] }, [], { systemPrompt: ['one', 'two'] }],
  [{ systemPrompt: { type: 'preset', preset: 'claude_code' } }, [], { systemPrompt: undefined }],
  [
    { systemPrompt: { type: 'preset', preset: 'claude_code', append: 'More.', excludeDynamicSections: true } },
    [],
    { systemPrompt: undefined, appendSystemPrompt: 'More.', excludeDynamicSections: true },
  ],
  [{ tools: ['Read', 'Grep'] }, ['--tools=Read,Grep']],
  [{ tools: [] }, ['--tools=']],
  [{ tools: { type: 'preset', preset: 'claude_code' } }, ['--tools=default']],
  [{ sessionStore: {} }, ['--session-mirror']],
  [{ extraArgs: { foo: 'bar', baz: null } }, ['--foo', 'bar', '--baz']],
  [{ record: 'calls.yaml' }, ['--record=calls.yaml']],
  [{ replayUserMessages: true }, ['--replay-user-messages']],
  // What is about this side of the wire only.
  [{ onElicitation: () => {}, stderr: () => {}, abortController: {}, spawnClaudeCodeProcess: () => {} }, []],
  [{ cwd: '/x', env: {}, executable: 'bun', executableArgs: ['-x'], pathToClaudeCodeExecutable: '/p' }, []],
  [{ enableFileCheckpointing: true, toolConfig: { askUserQuestion: { previewFormat: 'html' } } }, []],
  [{ sessionStoreFlush: 'eager', loadTimeoutMs: 1 }, []],
  [{ home: '/h' }, []],
  // A peer tells it in any case.
  [{ commandLifecycle: true }, []],
  [{ sessionStates: true }, []],
  [
    { hooks: { PreToolUse: [{ hooks: [() => {}] }] } },
    [],
    { hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] } },
  ],
];

describe('each option', () => {
  test.each(rows.map(([options, argv, initialize]) => ({ options, argv, initialize })))(
    '$options',
    ({ options, argv, initialize = {} }) => {
      expect(optionArguments(options)).toEqual([...baseline, ...argv]);
      const hooks = registerHooks((options as { hooks?: never }).hooks);
      const fields = initializeFields(options, { hooks, serverNames: [], manifests: {} });
      expect(onWire(fields)).toEqual(onWire({ systemPrompt: [''], ...initialize }));
    },
  );

  test('of the table has a row, or says why it does not cross', () => {
    const refused = ['classifierModel', 'models', 'setup', 'token', 'trustFolder', 'unfinished', 'url'];
    const known = [...Object.keys(servedOptions), ...Object.keys(needlessOptions), ...laterOptions];
    const shown = rows.flatMap(([options]) => Object.keys(options));
    expect(known.filter((name) => ![...shown, ...refused].includes(name))).toEqual([]);
  });

  test('given as undefined adds nothing', () => {
    const all = Object.fromEntries(rows.flatMap(([options]) => Object.keys(options)).map((name) => [name, undefined]));
    expect(optionArguments(all)).toEqual(baseline);
  });
});

function onWire(fields: object): unknown {
  return JSON.parse(JSON.stringify(fields));
}

test('settings that cannot be read are not joined with a sandbox', () => {
  const { sandbox } = { sandbox: { enabled: true } };
  expect(() => optionArguments({ settings: join(folder, 'missing.json'), sandbox })).toThrow('options.settings cannot');
  expect(() => optionArguments({ settings: '{"broken', sandbox })).toThrow('options.settings cannot be read');
});

describe('hooks', () => {
  test('are named in order over all events, with what their matchers say', () => {
    const hook = async () => ({});
    const { matchers, get } = registerHooks({
      PreToolUse: [
        { matcher: 'Bash', hooks: [hook, hook], timeout: 3 },
        { hooks: [hook], failOpen: true },
      ],
      Stop: [{ hooks: [hook] }],
      PostToolUse: [],
    });
    expect(matchers).toEqual({
      PreToolUse: [
        { matcher: 'Bash', hookCallbackIds: ['hook_0', 'hook_1'], timeout: 3 },
        { hookCallbackIds: ['hook_2'], failOpen: true },
      ],
      Stop: [{ hookCallbackIds: ['hook_3'] }],
      PostToolUse: [],
    });
    expect(get('hook_3')).toBe(hook);
    expect(get('hook_4')).toBeUndefined();
  });

  test('that are none are refused with their place', () => {
    expect(() => registerHooks({ Stop: [{ hooks: ['x'] }] } as never)).toThrow('options.hooks.Stop[0]');
    expect(() => registerHooks({ Stop: 'x' } as never)).toThrow('options.hooks.Stop takes a list');
  });

  test('and servers of the program go into initialize', () => {
    const manifests = { mine: { initializeResult: {}, toolsListResult: { tools: [] } } };
    const fields = initializeFields({}, { hooks: registerHooks(undefined), serverNames: ['mine'], manifests });
    expect(fields).toEqual({ systemPrompt: [''], sdkMcpServers: ['mine'], sdkMcpServerManifests: manifests });
  });
});
