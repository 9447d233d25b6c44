import { isRondoError } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import { checkOptions } from './check-options.ts';
import { laterOptions, needlessOptions, servedOptions } from './option-table.ts';
import type { Options } from './options.ts';

/** Every option that the reference of the second seed lists, `outputStyle` aside, which it names as none. */
const referenceOptions = `abortController additionalDirectories agent agents agentProgressSummaries
allowDangerouslySkipPermissions allowedTools betas canUseTool continue cwd debug debugFile disallowedTools effort
enableFileCheckpointing env executable executableArgs extraArgs fallbackModel forkSession forwardSubagentText hooks
includeHookEvents includePartialMessages loadTimeoutMs managedSettings maxBudgetUsd maxThinkingTokens maxTurns mcpServers
model onElicitation outputFormat pathToClaudeCodeExecutable permissionMode permissionPromptToolName persistSession
planModeInstructions plugins promptSuggestions resume resumeSessionAt sandbox sessionId sessionStore sessionStoreFlush
settings settingSources skills spawnClaudeCodeProcess stderr strictMcpConfig systemPrompt taskBudget thinking title
toolAliases toolConfig tools`.split(/\s+/);

/** Rondo's own. */
const ownOptions =
  `classifierModel commandLifecycle home models record replayUserMessages sessionStates setup token trustFolder
unfinished url`.split(/\s+/);

const check = (options: object) => () => checkOptions(options as Options);

test('every option of the reference is served, needless, or refused by name', () => {
  const known = [...Object.keys(servedOptions), ...Object.keys(needlessOptions), ...laterOptions];
  expect(known.filter((name) => !ownOptions.includes(name)).toSorted()).toEqual(referenceOptions.toSorted());
});

test.each([...laterOptions])('%s that asks for something is refused, and nothing is ignored in silence', (name) => {
  expect(check({ [name]: { some: 'thing' } })).toThrow(
    new RegExp(`options\\.${name} is not served by this version yet`),
  );
  expect(check({ [name]: true })).toThrow(`options.${name}`);
  expect(check({ [name]: undefined })()).toEqual([]);
  expect(check({ [name]: [] })()).toEqual([]);
});

test('an option that has no effect is named, with the reason', () => {
  expect(check({ executable: 'bun', extraArgs: {}, debug: false })()).toEqual([
    'options.executable has no effect: no subprocess is started.',
  ]);
});

test('a sandbox is taken, on or off, if all of it is known', () => {
  expect(check({ sandbox: { enabled: false } })()).toEqual([]);
  expect(check({ sandbox: { enabled: true } })()).toEqual([]);
  expect(check({ sandbox: { enable: true } })).toThrow('options.sandbox.enable is no setting');
});

describe('a value of the wrong kind is refused, with what the option takes', () => {
  test.each([
    [{ cwd: '' }, 'options.cwd takes a text, not ""'],
    [{ allowedTools: 'Read' }, 'options.allowedTools takes a list of texts, not "Read"'],
    [{ maxTurns: 1.5 }, 'options.maxTurns takes a whole number from 1, not 1.5'],
    [{ maxBudgetUsd: -1 }, 'options.maxBudgetUsd takes a number above 0, not -1'],
    [{ permissionMode: 'manual' }, 'options.permissionMode takes one of default, acceptEdits'],
    [{ sessionId: 'mine' }, 'options.sessionId takes a session ID, which is a UUID, not "mine"'],
    [{ canUseTool: true }, 'options.canUseTool takes a function, not true'],
    [{ model: {} }, 'options.model takes the name of a model'],
    [{ tools: 'all' }, 'options.tools takes a list of tool names'],
    [{ systemPrompt: { type: 'preset', preset: 'other' } }, 'options.systemPrompt takes a text'],
    [{ env: { A: 1 } }, 'options.env takes an object of strings'],
    [{ abortController: {} }, 'options.abortController takes an AbortController'],
    [{ thinking: { type: 'much' } }, "options.thinking takes { type: 'adaptive' }"],
    [{ effort: 'huge' }, 'options.effort takes one of low'],
    [{ settingSources: ['flag'] }, "options.settingSources takes a list of 'user', 'project' and 'local'"],
    [{ settings: 7 }, 'options.settings takes an object of settings, or a path or JSON as text'],
    [{ managedSettings: 'x' }, 'options.managedSettings takes an object of settings'],
    [{ models: [] }, 'options.models takes an object, not []'],
    [{ hooks: [] }, 'options.hooks takes an object of events'],
    [{ hooks: new Map([['PreToolUse', []]]) }, 'options.hooks takes an object of events'],
    [{ env: ['PATH=/bin'] }, 'options.env takes an object of strings, not a list'],
    [{ managedSettings: [] }, 'options.managedSettings takes an object of settings'],
    [{ settings: [] }, 'options.settings takes an object of settings'],
    [{ sandbox: [] }, 'options.sandbox takes an object'],
    [{ maxTurns: 0 }, 'options.maxTurns takes a whole number from 1, not 0'],
    [{ maxTurns: Number.NaN }, 'options.maxTurns takes a whole number from 1, not NaN'],
    [{ maxBudgetUsd: Infinity }, 'options.maxBudgetUsd takes a number above 0, not Infinity'],
    [{ models: { alias: {} } }, 'options.models.alias is no key of it; did you mean aliases?'],
  ])('%j', (options, message) => {
    expect(check(options)).toThrow(message);
  });

  test('with nothing in it that may be a secret', () => {
    for (const options of [{ env: { ANTHROPIC_API_KEY: 'sk-1234', A: 1 } }, { extraArgs: { token: 'sk-1234', a: 1 } }])
      expect(check(options)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('sk-1234') }));
  });

  // What cannot be shown is refused in the same way.
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const odd = [null, true, 0, -1, Number.NaN, Infinity, 1.5, 1n, '', ' ', Symbol('odd'), () => {}, [], [1], [''], {}];
  test.each(Object.keys(servedOptions))('%s: whatever is given is taken, or refused by its name', (name) => {
    for (const value of [...odd, circular, { big: 1n }, new Map(), { toJSON: () => undefined }]) {
      try {
        check({ [name]: value })();
      } catch (error) {
        const message = expect.stringMatching(new RegExp(`^options\\.${name}\\b`));
        expect(error).toMatchObject({ code: 'input.invalid', message });
      }
    }
  });

  test('by a code and the name of the option', () => {
    try {
      check({ cwd: 7 })();
      expect.unreachable();
    } catch (error) {
      expect(isRondoError(error, 'input.invalid') && error.details['option']).toBe('cwd');
    }
  });
});

describe('options that contradict each other are refused', () => {
  const id = '0b9a1c1e-0000-4000-8000-000000000001';
  test.each([
    [{ resume: id, continue: true }, 'name different sessions'],
    [{ resume: id, sessionId: id }, 'needs forkSession: true'],
    [{ continue: true, persistSession: false }, 'no stored sessions'],
  ])('%j', (options, message) => {
    expect(check(options)).toThrow(message);
  });

  test('and those that only look so are not', () => {
    expect(check({ resume: id, sessionId: id, forkSession: true })()).toEqual([]);
    expect(check({ forkSession: true })()).toEqual([]);
  });
});
