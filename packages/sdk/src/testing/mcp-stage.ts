import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll } from 'vitest';
import type { Options } from '../options/options.ts';

/** Where queries with servers run: each with a home of its own, removed when the tests of the file are over. */
export async function mcpStage() {
  const root = await mkdtemp(join(tmpdir(), 'rondo-mcp-'));
  let homes = 0;
  afterAll(() => rm(root, { recursive: true, force: true }));
  return {
    root,
    /** Options of a session that has no tools but those of servers. */
    setUp(steps: readonly ScriptedStep[], more: Options = {}) {
      homes += 1;
      const home = join(root, `home-${homes}`);
      const model = scriptedModel(steps);
      const env = { PATH: process.env['PATH'], ...more.env };
      const options: Options = { model, home, cwd: root, tools: [], settingSources: [], ...more, env };
      return { model, options, home };
    },
  };
}

/** What the calls of a query came to, in the order of their results. */
export function callResults(lines: readonly SDKMessage[]) {
  return lines.flatMap((line) =>
    line.type === 'user' && Array.isArray(line.message.content)
      ? line.message.content.filter((block) => block.type === 'tool_result')
      : [],
  );
}

/** What is told that is no message of the conversation. */
export function told(lines: readonly SDKMessage[]): string[] {
  return lines.flatMap((line) => (line.type === 'system' && line.subtype === 'informational' ? [line.content] : []));
}

export function userSays(text: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
}
