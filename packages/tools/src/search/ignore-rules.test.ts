import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { expect, it } from 'vitest';
import { ignoreRules } from './ignore-rules.ts';

it('takes the ignore files of a repository, or of a session folder without one', async () => {
  await using tool = await temporaryToolContext();
  const at = (path: string) => join(tool.folder, path);
  for (const path of ['repository/.git', 'repository/sub', 'plain/sub', 'other'])
    mkdirSync(at(path), { recursive: true });
  expect(ignoreRules(at('repository/sub'), at('repository'))).toEqual({ args: [], arePresent: false });
  writeFileSync(at('repository/.gitignore'), '');
  expect(ignoreRules(at('repository/sub'), at('repository/sub'))).toEqual({ args: [], arePresent: true });

  expect(ignoreRules(at('plain/sub'), at('plain'))).toEqual({ args: ['--no-require-git'], arePresent: false });
  writeFileSync(at('plain/.ignore'), '');
  expect(ignoreRules(at('plain/sub'), at('plain'))).toEqual({ args: ['--no-require-git'], arePresent: true });
  writeFileSync(at('.gitignore'), '*');
  const withoutAbove = { args: ['--no-require-git', '--no-ignore-parent'] };
  expect(ignoreRules(at('plain'), at('plain'))).toEqual({ ...withoutAbove, arePresent: true });
  expect(ignoreRules(at('other'), at('plain')), 'outside of the session folder').toEqual({
    ...withoutAbove,
    arePresent: false,
  });
  expect(ignoreRules(at('other'), '/').arePresent).toBe(true);
});
