import type { OpenApproval, PermissionResult } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import type { CanUseTool } from './can-use-tool.ts';
import { canUseToolAsker } from './can-use-tool-asker.ts';

const callback: OpenApproval = {
  type: 'approval',
  id: 'f0000000-0000-4000-8000-000000000001',
  sessionId: 's',
  turnId: 't',
  title: 'Bash',
  openedAt: '2025-01-01T00:00:00.000Z',
  request: {
    callId: 'e1#0',
    toolCallId: 'c1',
    tool: { name: 'Bash' },
    input: { command: 'ls', list: [1] },
    inputHash: 'h',
    source: 'policy',
    reason: 'no rule allows it',
    reasonType: 'mode',
    suggestions: [{ type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' }],
    blockedPath: '/etc',
  },
};

function ask(canUseTool: (...call: Parameters<CanUseTool>) => unknown) {
  const notes: string[] = [];
  const { signal } = new AbortController();
  const asker = canUseToolAsker(async (...call) => (await canUseTool(...call)) as PermissionResult | null, {
    note: (text) => notes.push(text),
  });
  return { notes, answer: asker.ask(callback, { signal }) };
}

test('the program is asked with everything that is known of the call', async () => {
  let asked: Parameters<CanUseTool> | undefined;
  await ask((...call) => {
    asked = call;
    return { behavior: 'allow' };
  }).answer;
  expect(asked?.slice(0, 2)).toEqual(['Bash', { command: 'ls', list: [1] }]);
  expect(asked?.[2]).toMatchObject({
    toolUseID: 'c1',
    requestId: callback.id,
    blockedPath: '/etc',
    decisionReason: 'no rule allows it',
    decisionReasonType: 'mode',
    title: 'Bash',
    suggestions: callback.request.suggestions,
  });
  expect(asked?.[2].signal.aborted).toBe(false);
});

test('a subagent, a server and a tool that wants a person are told of', async () => {
  let asked: Parameters<CanUseTool>[2] | undefined;
  const canUseTool: CanUseTool = async (_name, _input, options) => {
    asked = options;
    return { behavior: 'deny', message: 'no' };
  };
  const { signal } = new AbortController();
  const asker = canUseToolAsker(canUseTool, { note() {} });
  await asker.ask(callback, { signal });
  for (const name of ['agentID', 'mcpServer', 'requiresUserInteraction']) expect(asked).not.toHaveProperty(name);
  const request = { ...callback.request, tool: { name: 'mcp__w__t', source: 'w' }, requiresPerson: true };
  await asker.ask({ ...callback, sessionId: 's.0123abcd', request }, { signal });
  expect(asked).toMatchObject({
    agentID: 's.0123abcd',
    mcpServer: { name: 'w', source: 'sdk' },
    requiresUserInteraction: true,
  });
});

test('what it does to the input it was shown changes nothing', async () => {
  await ask((_name, input) => {
    input['command'] = 'rm -rf /';
    return { behavior: 'allow' };
  }).answer;
  expect(callback.request.input).toEqual({ command: 'ls', list: [1] });
});

describe('an answer', () => {
  test('that allows carries input and rules with it', async () => {
    const updatedPermissions = callback.request.suggestions;
    const { answer } = ask(() => ({
      behavior: 'allow',
      updatedInput: { command: 'pwd', gone: undefined },
      updatedPermissions,
    }));
    expect(await answer).toEqual({
      type: 'allow',
      scope: 'once',
      updatedInput: { command: 'pwd' },
      updatedPermissions,
    });
  });

  test('that denies says why, and may stop the turn', async () => {
    expect(await ask(() => ({ behavior: 'deny', message: 'no', interrupt: true })).answer).toEqual({
      type: 'deny',
      message: 'no',
      interrupt: true,
    });
  });

  test('null leaves the question open, and says how it is answered', async () => {
    const { answer, notes } = ask(() => null);
    expect(await answer).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining(callback.id)]);
  });

  test.each([[true], [undefined], ['allow'], [{}], [{ behavior: 'yes' }], [{ allow: true }]])(
    'of another shape is no consent: %j',
    async (answer) => {
      await expect(ask(() => answer).answer).rejects.toThrow(/canUseTool must answer/);
    },
  );

  test.each([[[]], ['x'], [7]])('with an input that is no object is no consent: %j', async (updatedInput) => {
    await expect(ask(() => ({ behavior: 'allow', updatedInput })).answer).rejects.toThrow(
      /updatedInput must be an object/,
    );
  });

  test.each([
    ['x', 'must be a list'],
    [[null], 'updatedPermissions.0'],
    [[{ type: 'bogus', destination: 'session' }], 'updatedPermissions.0.type'],
    [
      [{ type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'maybe', destination: 'session' }],
      'updatedPermissions.0.behavior',
    ],
    [[{ type: 'addRules', behavior: 'allow', destination: 'session' }], 'updatedPermissions.0.rules'],
  ])('with updates that are none is no consent: %j', async (updatedPermissions, named) => {
    await expect(ask(() => ({ behavior: 'allow', updatedPermissions })).answer).rejects.toThrow(named);
  });

  test('that throws denies, with the message of the error', async () => {
    const { answer } = ask(() => {
      throw new Error('the policy server is down');
    });
    expect(await answer).toEqual({
      type: 'deny',
      message: expect.stringContaining('the policy server is down') as string,
    });
  });
});
