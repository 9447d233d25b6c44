import { createMemoryChannel } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import { info, runtimeWith } from '../../testing/runtime-with.ts';
import { serveRuntime } from '../../serve-runtime.ts';
import { listen, type ListenOptions } from '../listen.ts';

const runtime = runtimeWith({ readSession: () => Promise.resolve(info) });
const grant = { token: 'hidden-value', name: 'ada', rights: ['read'] };
const said = (field: string) => ({ code: 'input.invalid', message: expect.stringContaining(field) as unknown });

describe('code without types that gives a host', () => {
  test.each([
    ['a grant without rights', [{ ...grant, rights: undefined }], 'tokens[0].rights'],
    ['a right that there is not', [grant, { ...grant, rights: ['write'] }], 'tokens[1].rights'],
    ['no token', [{ ...grant, token: undefined }], 'tokens[0] needs'],
    ['a folder alone', [{ ...grant, folders: '/work' }], 'tokens[0].folders'],
    ['a relative folder', [{ ...grant, folders: ['work'] }], 'tokens[0].folders'],
    ['a mode that there is not', [{ ...grant, highestMode: 'yolo' }], 'tokens[0].highestMode'],
    ['a misspelt bound', [{ ...grant, folder: ['/work'] }], '"folder"'],
    ['a grant in place of a list', grant, 'tokens is not a list'],
  ])('%s is told at once, without its token', async (_what, tokens, field) => {
    const failed: unknown = await listen(runtime, { tokens } as unknown as ListenOptions).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject(said(field));
    expect(String(failed)).not.toContain('hidden-value');
  });

  test('a principal without rights is told at once', () => {
    const [, far] = createMemoryChannel();
    expect(() => serveRuntime(runtime, far, { principal: { name: 'ada' } as never })).toThrow(
      expect.objectContaining(said('principal.rights')),
    );
  });
});
