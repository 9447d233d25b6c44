import { expect, test } from 'vitest';
import { programOn, readmePrograms } from './readme-programs.ts';

const readme = `
\`\`\`ts
import { part } from '@rondo/sdk';
\`\`\`

\`\`\`ts program
import { query } from '@rondo/sdk';
\`\`\`

\`\`\`ts program
import { createRuntime } from '@rondo/runtime';
import { scripted } from '@rondo/providers/testing';
\`\`\`
`;

test('only marked blocks are programs, found by what they import', () => {
  const programs = readmePrograms(readme);
  expect(programs).toHaveLength(2);
  expect(programOn(programs, ['@rondo/sdk']).text).toBe("import { query } from '@rondo/sdk';\n");
  expect(programOn(programs, ['@rondo/runtime', '@rondo/providers']).text).toContain('createRuntime');
  expect(() => programOn(programs, ['@rondo/client'])).toThrow('no block marked "ts program"');
});
