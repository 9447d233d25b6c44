import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from './error/error-codes.ts';
import { eventTypes } from './event/event.ts';
import { methods, notifications } from './method/method.ts';

const page = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');

test.each([...Object.keys(methods), ...Object.keys(notifications), ...eventTypes, ...Object.keys(errorCodes)])(
  'the page of the protocol explains %s',
  (name) => {
    expect(page).toContain(`\`${name}\``);
  },
);
