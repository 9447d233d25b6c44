import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CanUseTool, type Options, query, type SDKMessage } from '@rondo/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { scriptModel } from '../harness/write-script.ts';
import { canarySpellings, toldSpellings } from './canary-spellings.ts';

let place: Place;
let log: string;
let path: string;
beforeEach(() => {
  place = createPlace();
  log = join(place.folder, 'canary.log');
  const programs = join(place.folder, 'programs');
  for (const folder of [programs, join(place.project, 'bin')]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'canary'), `#!/bin/sh\necho ran >> '${log}'\n`);
    chmodSync(join(folder, 'canary'), 0o755);
  }
  path = `${programs}:${process.env['PATH'] ?? ''}`;
});
afterEach(() => place[Symbol.dispose]());

async function run(commands: readonly string[], options: Options): Promise<SDKMessage[]> {
  const steps = commands.map((command) => ({ call: 'Bash', input: { command } }));
  const given: Options = {
    cwd: place.project,
    model: scriptModel(place, [...steps, { text: 'done' }]),
    env: place.env({ PATH: path, IS_SANDBOX: '1' }),
    ...options,
  };
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: 'go', options: given })) messages.push(message);
  return messages;
}

function denialsOf(messages: readonly SDKMessage[]): number {
  const result = messages.at(-1);
  if (result?.type !== 'result') throw new Error('there is no result');
  return result.permission_denials.length;
}

const harmless = canarySpellings.map((_, index) => `touch ${index}`);
const numberOf = (input: Record<string, unknown>): number => Number(String(input['command']).slice('touch '.length));

describe('issue 5, accept 9: an input that is rewritten is judged as what it is then', () => {
  test.each(['allow', undefined] as const)(
    'a hook that puts a denied command in, and says %s, has it denied',
    async (permissionDecision) => {
      const messages = await run(harmless, {
        disallowedTools: ['Bash(canary:*)'],
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        hooks: {
          PreToolUse: [
            {
              hooks: [
                (input) => {
                  if (input.hook_event_name !== 'PreToolUse') return Promise.resolve({});
                  const command = canarySpellings[numberOf(input.tool_input as Record<string, unknown>)];
                  return Promise.resolve({
                    hookSpecificOutput: {
                      hookEventName: 'PreToolUse' as const,
                      ...(permissionDecision === undefined ? {} : { permissionDecision }),
                      updatedInput: { command },
                    },
                  });
                },
              ],
            },
          ],
        },
      });
      expect(existsSync(log)).toBe(false);
      expect(denialsOf(messages)).toBe(canarySpellings.length);
    },
    120_000,
  );

  test('an answer that puts a denied command in has it denied, whoever gave it', async () => {
    expect(toldSpellings.length).toBeGreaterThan(60);
    const canUseTool: CanUseTool = (_tool, input) =>
      Promise.resolve({ behavior: 'allow', updatedInput: { command: toldSpellings[numberOf(input)] } });
    const messages = await run(harmless.slice(0, toldSpellings.length), {
      disallowedTools: ['Bash(canary:*)'],
      canUseTool,
    });
    expect(existsSync(log)).toBe(false);
    expect(denialsOf(messages)).toBe(toldSpellings.length);
  }, 120_000);
});

describe('issue 5, accept 9: an approval is for the input that was shown', () => {
  const others = [
    'touch b',
    'touch  a b',
    'touch a; touch c',
    'touch a && touch d',
    'touch a > e',
    'touch a $(touch f)',
    'touch a\ntouch g',
    'PATH=bin touch a',
    'sudo touch a',
    'touch "a" h',
    './touch a',
    'eval "touch a; touch i"',
    'touch a & touch j',
    'touch a | tee k',
  ];

  test('once: every other input is asked about, and the same one again', async () => {
    const asked: unknown[] = [];
    const canUseTool: CanUseTool = (_tool, input) => {
      asked.push(input['command']);
      return Promise.resolve(
        asked.length === 1 ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'no' },
      );
    };
    await run(['touch a', 'touch a', ...others], { canUseTool });
    expect(asked).toEqual(['touch a', 'touch a', ...others]);
    expect(readdirSync(place.project).toSorted()).toEqual(['a', 'bin']);
  });

  test('for the session: the same input is not asked about again, every other one is', async () => {
    const asked: unknown[] = [];
    const canUseTool: CanUseTool = (_tool, input) => {
      asked.push(input['command']);
      if (asked.length > 1) return Promise.resolve({ behavior: 'deny', message: 'no' });
      const rules = [{ toolName: 'Bash', ruleContent: 'touch a' }];
      return Promise.resolve({
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [{ type: 'addRules', behavior: 'allow', destination: 'session', rules }],
      });
    };
    await run(['touch a', 'touch a', 'touch a && touch a', ...others], { canUseTool });
    expect(asked).toEqual(['touch a', ...others]);
    expect(readdirSync(place.project).toSorted()).toEqual(['a', 'bin']);
  });
});
