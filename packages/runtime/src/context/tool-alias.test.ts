import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolNamePattern } from './request-limits.ts';
import { toolAlias } from './tool-alias.ts';

describe('the name under which a model knows a tool', () => {
  test.each(['Read', '_private', 'mcp__github__create_issue', 'a', `x${'y'.repeat(63)}`, 'get-weather_2'])(
    'is its own where every provider takes it: %s',
    (name) => {
      expect(toolAlias(name)).toBe(name);
    },
  );

  test.each([
    ['files.read', /^files_read_x/],
    ['read file', /^read_file_x/],
    ['2fast', /^_2fast_x/],
    ['-dash', /^_-dash_x/],
    ['天気', /^tool_x/],
    ['mcp__天気__予報_today', /^mcp__.*today_x/],
    ['', /^tool_x/],
    [
      `mcp__a_server_with_a_name__${'very_long_'.repeat(8)}tool`,
      /^mcp__a_server_with_a_name__very_long_very_long_ve_x/,
    ],
  ])('is its readable beginning and a hash where not: %s', (name, readable) => {
    expect(toolAlias(name)).toMatch(readable);
    expect(toolAlias(name)).toMatch(toolNamePattern);
  });

  test('never changes: it stands in requests of sessions that go on', () => {
    expect(toolAlias('files.read')).toBe('files_read_x1c665hjggaswr');
    expect(toolAlias('天気')).toBe('tool_x2h4av5jarqqt5');
  });

  test('that looks like an alias is no own name, so that nobody can take the alias of another', () => {
    const alias = toolAlias('files.read');
    expect(toolAlias(alias)).not.toBe(alias);
    expect(toolAlias(toolAlias(alias))).not.toBe(toolAlias(alias));
  });

  test('is one that every provider takes, and another one for every name', () => {
    const piece = fc.constantFrom(
      'mcp__',
      'a',
      '.',
      ' ',
      '2',
      '名',
      '\ud800',
      '\udc00',
      '-',
      '_',
      'x'.repeat(30),
      '_x0000000000000',
    );
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    );
    const names = fc.uniqueArray(fc.oneof(name, name.map(toolAlias)), { maxLength: 40 });
    fc.assert(
      fc.property(names, (all) => {
        const aliases = all.map(toolAlias);
        for (const alias of aliases) expect(alias).toMatch(toolNamePattern);
        expect(new Set(aliases).size).toBe(all.length);
        expect(all.toReversed().map(toolAlias)).toEqual(aliases.toReversed());
      }),
      { numRuns: 500 },
    );
  });
});
