import { expect, test } from 'vitest';
import { toolLine } from './tool-line.ts';

const options = { cwd: '/home/me/project', width: 60 };

test.each([
  ['Bash', { command: 'npm test\nrm -rf x', description: 'Test' }, 'Bash npm test rm -rf x'],
  ['Read', { file_path: '/home/me/project/src/a.ts', limit: 3 }, 'Read src/a.ts'],
  ['Edit', { file_path: '/etc/hosts', old_string: 'a', new_string: 'b' }, 'Edit /etc/hosts'],
  ['Grep', { pattern: 'TODO', path: '/home/me/project/src' }, 'Grep TODO in src'],
  ['Glob', { pattern: '**/*.ts' }, 'Glob **/*.ts'],
  ['mcp__files__stat', { name: 'x', deep: true }, 'mcp__files__stat {"name":"x","deep":true}'],
  ['Now', {}, 'Now'],
  ['Odd', 'text', 'Odd'],
])('%s reads as what it is about', (name, input, line) => {
  expect(toolLine(name, input, options)).toBe(line);
});

test('a call cannot write its own line', () => {
  expect(toolLine('Bash', { command: 'rm -rf ~ \u001b[2K\rls' }, options)).toBe('Bash rm -rf ~ ␛[2K ls');
});
