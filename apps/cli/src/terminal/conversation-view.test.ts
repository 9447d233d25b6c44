import type { SDKMessage } from '@rondo/sdk';
import { expect, test } from 'vitest';
import { apiRetry, assistant, init, success, textPiece, toolCall, toolResult } from '../testing/sdk-messages.ts';
import { createConversationView } from './conversation-view.ts';
import { plain } from './painter.ts';

const said = (text: string): SDKMessage => assistant({ type: 'text', text });

function screenOf(...messages: readonly SDKMessage[]): string {
  let screen = '';
  const view = createConversationView({
    write: (text) => {
      screen += text;
    },
    paint: plain,
    cwd: '/project',
    width: 80,
  });
  for (const message of messages) view.show(message);
  return screen;
}

test('text is shown as it comes, and once', () => {
  expect(screenOf(textPiece('Hel'), textPiece('lo'), said('Hello'), textPiece('On.'), said('On.'))).toBe(
    'Hello\nOn.\n',
  );
});

test('text that never came in pieces is shown whole', () => {
  expect(screenOf(said('Hello'))).toBe('Hello\n');
});

test('text that a broken stream began is said again below the retry', () => {
  expect(screenOf(textPiece('Hel'), apiRetry(), said('Hello'))).toBe(
    'Hel\n↻ The model did not answer: overloaded (529). Retry 1 of 3 in 0.5 s\nHello\n',
  );
});

test('what is said after a call stands apart from it', () => {
  const screen = screenOf(
    said('First.'),
    toolCall('1', 'Bash', { command: 'ls' }),
    toolResult('1', 'a'),
    textPiece('Then.'),
  );
  expect(screen).toBe('First.\n• Bash ls\n  a\n\nThen.');
});

test('the model is told when it is another one', () => {
  const screen = screenOf(init('vendor/one'), said('One.'), init('vendor/one'), init('vendor/two'), said('Two.'));
  expect(screen).toBe('Model: vendor/one\nOne.\nModel: vendor/two\nTwo.\n');
});

test('a piece of text cannot command the terminal', () => {
  expect(screenOf(textPiece('\u001b]0;owned'), textPiece('\u0007\u001b[2J'))).toBe('␛]0;owned␇␛[2J');
});

test('why there is no answer is said once', () => {
  const message = 'The key was refused.';
  const spoken = assistant({ type: 'text', text: message }, { is_api_error_message: true });
  expect(screenOf(spoken, success(message, { is_error: true }))).toBe(`${message}\n1 model call, 1.2 s\n`);
});
