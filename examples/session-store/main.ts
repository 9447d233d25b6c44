// A session that begins on one host and goes on at another: both share a folder, and nothing else. The adapter for that folder passes
// every case that an adapter has to pass.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSessionMessages, query, type Options } from '@rondo/sdk';
import { sessionStoreCases } from '@rondo/sdk/testing';
import { say, scriptedModel } from '@rondo/runtime/testing';
import { fileSessionStore } from './file-session-store.ts';

const place = await mkdtemp(join(tmpdir(), 'session-store-'));
try {
  for (const [index, { name, run }] of sessionStoreCases.entries()) {
    await run(() => fileSessionStore(join(place, `case-${index}`)));
    console.log(`holds: ${name}`);
  }

  const shared = join(place, 'shared');
  const ask = async (host: string, prompt: string, answer: string, more: Options = {}): Promise<string> => {
    const options: Options = {
      model: scriptedModel([say(answer)]),
      home: join(place, host),
      cwd: place,
      tools: [],
      settingSources: [],
      sessionStore: fileSessionStore(shared),
      ...more,
    };
    let id = '';
    for await (const message of query({ prompt, options })) {
      if (message.type === 'system' && message.subtype === 'mirror_error') throw new Error(message.error);
      if (message.type === 'result') id = message.session_id;
    }
    return id;
  };

  const session = await ask('one', 'My name is Ada.', 'Hello, Ada.');
  assert.equal(await ask('two', 'What is my name?', 'Ada.', { resume: session }), session);
  const messages = await getSessionMessages(session, { home: join(place, 'two') });
  assert.equal(messages.length, 4);
  console.log(`session ${session} has ${messages.length} messages at the second host`);
} finally {
  await rm(place, { recursive: true, force: true });
}
