import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from './error/error-codes.ts';
import { eventTypes } from './event/event.ts';
import { clientMethods } from './method/client-method.ts';
import { methods, notifications } from './method/method.ts';

const page = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');

const asked = [...Object.keys(methods), ...Object.keys(clientMethods), ...Object.keys(notifications)];

test.each([...asked, ...eventTypes, ...Object.keys(errorCodes)])('the page of the protocol explains %s', (name) => {
  expect(page).toContain(`\`${name}\``);
});
