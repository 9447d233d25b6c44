import { expect, it } from 'vitest';
import { builtinTools, createBuiltinTools } from './builtin-tools.ts';

it('offers the tools under their names, in one order', () => {
  expect(createBuiltinTools().map(({ name }) => name)).toEqual(['Read', 'Write', 'Edit', 'Bash']);
  expect(Object.entries(builtinTools).every(([name, tool]) => tool.name === name && tool.kind === 'builtin')).toBe(
    true,
  );
  expect(createBuiltinTools(['Grep', 'Read']).map(({ name }) => name)).toEqual(['Grep', 'Read']);
});

it('says of each call what a repeat would do and what the policy judges', () => {
  const { Read, Write, Edit, Bash, Glob, Grep } = builtinTools;
  const path = { file_path: '/a' };
  expect([Read, Write, Edit, Bash].map((tool) => tool.effect({}))).toEqual(['none', 'idempotent', 'reconcile', 'once']);
  expect([Read, Write, Edit, Bash].map((tool) => tool.ruleContent)).toEqual(['path', 'path', 'path', 'command']);
  for (const searching of [Glob, Grep]) {
    expect(searching.effect({})).toBe('none');
    expect(searching.ruleContent).toBe('path');
    expect(searching.access({ pattern: '*', path: 'sub' })).toEqual({ reads: ['sub'] });
    expect(searching.access({ pattern: '*', path: '' })).toEqual({ reads: ['.'] });
  }
  expect(Read.access(path)).toEqual({ reads: ['/a'] });
  expect(Write.access(path)).toEqual({ writes: ['/a'] });
  expect(Edit.access(path)).toEqual({ reads: ['/a'], writes: ['/a'] });
  expect(Bash.access({ command: 'ls' })).toEqual({ command: 'ls' });
});

it('fills in defaults and names what is wrong', () => {
  const { Read, Edit } = builtinTools;
  expect(Edit.validate({ file_path: 'a', old_string: 'b', new_string: 'c' })).toEqual({
    ok: true,
    input: { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: false },
  });
  expect(Read.validate({ path: 'a', offset: 1.5 })).toMatchObject({
    ok: false,
    problems: [{ path: 'file_path' }, { path: 'offset' }, { path: 'path' }],
  });
});
