import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { packageVersion } from './package-version.ts';

test('the constant is what the manifest says; `npm run versions` writes it', () => {
  expect(packageVersion).toBe(manifest.version);
});
