import { describe, expect, test } from 'vitest';
import { createInputEnd, type InputEnd } from './input-end.ts';

function setUp(kind: 'text' | 'stream', hasCallbacks: boolean) {
  let closed = false;
  const end = createInputEnd({ hasCallbacks, close: () => void (closed = true) });
  if (kind === 'text') end.isText();
  return { end, isClosed: () => closed };
}

const result = { type: 'result' };
const state = (name: string) => ({ type: 'system', subtype: 'session_state_changed', state: name });
const lifecycle = (uuid: string, name: string) => ({ type: 'command_lifecycle', command_uuid: uuid, state: name });

function say(end: InputEnd): void {
  end.sent();
  end.streamEnded();
}

describe('one text', () => {
  test('without callbacks ends with its first result, whatever the state', () => {
    const { end, isClosed } = setUp('text', false);
    end.saw(state('running'));
    say(end);
    expect(isClosed()).toBe(false);
    end.saw(result);
    expect(isClosed()).toBe(true);
  });

  test('with callbacks and no word of a state ends with its first result', () => {
    const { end, isClosed } = setUp('text', true);
    say(end);
    end.saw(result);
    expect(isClosed()).toBe(true);
  });

  test.each(['running', 'requires_action'])('with callbacks is waited for while the peer is %s', (name) => {
    const { end, isClosed } = setUp('text', true);
    say(end);
    end.saw(state(name));
    end.saw(result);
    end.saw(result);
    expect(isClosed()).toBe(false);
    end.saw(state('idle'));
    expect(isClosed()).toBe(true);
  });

  test('with callbacks that was idle before its result ends with it', () => {
    const { end, isClosed } = setUp('text', true);
    say(end);
    end.saw(state('running'));
    end.saw(state('idle'));
    expect(isClosed()).toBe(false);
    end.saw(result);
    expect(isClosed()).toBe(true);
  });
});

describe('a stream of messages', () => {
  test('without callbacks ends as soon as it has ended', () => {
    const { end, isClosed } = setUp('stream', false);
    end.sent();
    expect(isClosed()).toBe(false);
    end.streamEnded();
    expect(isClosed()).toBe(true);
  });

  test('with callbacks waits for the result of its last message', () => {
    const { end, isClosed } = setUp('stream', true);
    end.sent();
    end.saw(result);
    say(end);
    expect(isClosed()).toBe(false);
    end.saw(result);
    expect(isClosed()).toBe(true);
  });

  test('with callbacks waits for messages that the peer has in its queue', () => {
    const { end, isClosed } = setUp('stream', true);
    end.sent();
    say(end);
    end.saw(lifecycle('a', 'queued'));
    end.saw(lifecycle('b', 'queued'));
    end.saw(result);
    end.saw(lifecycle('a', 'completed'));
    expect(isClosed()).toBe(false);
    end.saw(lifecycle('b', 'cancelled'));
    expect(isClosed()).toBe(true);
  });

  test('that says nothing waits for the peer to say whether it is at work', () => {
    const idle = setUp('stream', true);
    idle.end.streamEnded();
    expect(idle.isClosed()).toBe(false);
    idle.end.initialized({ session_state: 'idle' });
    expect(idle.isClosed()).toBe(true);

    const atWork = setUp('stream', true);
    atWork.end.streamEnded();
    atWork.end.initialized({ session_state: 'requires_action' });
    expect(atWork.isClosed()).toBe(false);
    atWork.end.saw(state('idle'));
    expect(atWork.isClosed()).toBe(true);

    const silent = setUp('stream', true);
    silent.end.streamEnded();
    silent.end.initialized(undefined);
    expect(silent.isClosed()).toBe(true);
  });

  test('that is joined by another one ends with the last of them', () => {
    const { end, isClosed } = setUp('stream', false);
    end.streamBegan();
    end.streamEnded();
    expect(isClosed()).toBe(false);
    end.streamEnded();
    expect(isClosed()).toBe(true);
  });
});
