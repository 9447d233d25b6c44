import { expect, test } from 'vitest';
import { mcpToolName, serverPart } from './tool-name.ts';

test.each([
  ['calc', 'add', 'mcp__calc__add'],
  ['Some Drive', 'list.files', 'mcp__Some_Drive__list_files'],
  ['a-b', 'x/y', 'mcp__a-b__x_y'],
  ['天気', '予報', 'mcp__天気__予報'],
  ['plugin_x_y', 'do__it', 'mcp__plugin_x_y__do__it'],
])('%s, %s is named %s', (server, tool, name) => {
  expect(mcpToolName(server, tool)).toBe(name);
});

test('no server is named so that a rule for another one is about it', () => {
  for (const server of ['a__b', 'a_', 'a__', 'a_ _b', 'a. .b']) {
    expect(serverPart(server)).not.toMatch(/__|_$/);
    expect(mcpToolName(server, 'tool')).not.toMatch(/^mcp__a__(?!tool$)/);
  }
});

test('what cannot be named has no name', () => {
  expect(mcpToolName('', 'tool')).toBeUndefined();
  expect(mcpToolName('///', 'tool')).toBeUndefined();
  expect(mcpToolName('server', '')).toBeUndefined();
  expect(mcpToolName('server', 'x'.repeat(300))).toBeUndefined();
});
