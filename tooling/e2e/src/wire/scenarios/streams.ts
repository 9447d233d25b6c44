import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptStep } from '@rondo/providers/scripted';
import type { SDKUserMessage } from '@rondo/sdk';
import { type Act, one, type OneQuery, type Scenario } from '../scenario.ts';

const uuids = [1, 2, 3, 4].map((number) => `00000000-0000-4000-8000-00000000000${number}` as const);

function message(text: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, ...more };
}

const said = (text: string, at: number, more: Partial<SDKUserMessage> = {}): Act => ({
  say: message(text, { uuid: uuids[at] as NonNullable<SDKUserMessage['uuid']>, ...more }),
});
const result = (times = 1): Act => ({ until: { type: 'result' }, times });
/** The session has taken the message. */
const taken = (at: number, state = 'queued'): Act => ({
  until: { type: 'command_lifecycle', command_uuid: uuids[at], state },
});
const begun: Act = { until: { type: 'system', subtype: 'init' } };

/** A reply that is on its way until there is a file. */
const held = (text: string, more: Partial<ScriptStep> = {}): ScriptStep => ({
  text: [text, ' and on'],
  hold: { until: 'go', after: { events: 3 } },
  ...more,
});
/** A command that is at work until there is a file. */
const working: ScriptStep = {
  call: 'Bash',
  input: { command: 'touch begun; until test -e go; do sleep 0.02; done; echo ready' },
};
const release: Act = { write: 'go' };

const stream = (name: string, query: Omit<OneQuery, 'name'>): Scenario =>
  one({ name, ...query, options: { allowedTools: ['Bash'], ...(query.options as object) } });

/** Messages of a stream, and what is asked of a query while it is at work. */
export const streams: readonly Scenario[] = [
  stream('one message', {
    steps: [{ text: 'One.' }],
    prompt: [{ say: 'one' }],
    expect: { results: [{ result: 'One.' }] },
  }),
  stream('no message', {
    steps: [{ text: 'Nobody asks for this.' }],
    script: { unused: 'ignore' },
    prompt: [],
    expect: { results: [] },
  }),
  stream('three messages, one after the other', {
    steps: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    prompt: [{ say: 'one' }, result(1), { say: 'two' }, result(2), { say: 'three' }],
    expect: { results: [{ result: 'One.' }, { result: 'Two.' }, { result: 'Three.' }] },
  }),
  stream('a message of blocks', {
    steps: [{ expect: { user: 'second part' }, text: 'One.' }],
    prompt: [
      {
        say: {
          type: 'user',
          message: {
            role: 'user',
            content: [
              { type: 'text', text: 'first part' },
              { type: 'text', text: 'second part' },
            ],
          },
          parent_tool_use_id: null,
        },
      },
    ],
    expect: { results: [{ result: 'One.' }] },
  }),
  stream('messages with uuids, and how far they have come', {
    steps: [{ text: 'One.' }, { text: 'Two.' }],
    prompt: [said('one', 0), result(1), said('two', 1)],
    expect: {
      lines: [
        { type: 'command_lifecycle', command_uuid: uuids[0], state: 'started' },
        { type: 'command_lifecycle', command_uuid: uuids[0], state: 'completed' },
      ],
    },
  }),
  stream('a message while a tool is at work joins the turn', {
    steps: [working, { expect: { user: 'and this' }, text: 'Both.' }],
    prompt: [said('one', 0), { until: { type: 'assistant' } }, said('and this', 1), taken(1), release],
    expect: { results: [{ result: 'Both.' }] },
  }),
  stream('a message for later has a turn of its own', {
    steps: [working, { text: 'One.' }, { expect: { user: 'later' }, text: 'Two.' }],
    prompt: [
      said('one', 0),
      { until: { type: 'assistant' } },
      said('later', 1, { priority: 'later' }),
      taken(1),
      release,
    ],
    expect: { results: [{ result: 'One.' }, { result: 'Two.' }] },
  }),
  stream('a message while the model speaks', {
    steps: [held('One'), { expect: { user: 'two' }, text: 'Two.' }],
    prompt: [said('one', 0), begun, said('two', 1), taken(1), release],
    expect: { results: [{}] },
  }),
  stream('messages that ask for no answer are kept for the next one', {
    steps: [{ expect: { user: 'kept' }, text: 'One.' }],
    prompt: [{ say: message('kept', { shouldQuery: false }) }, { say: 'and now' }],
    expect: { results: [{ result: 'One.' }] },
  }),
  stream('messages are replayed on demand', {
    steps: [{ text: 'One.' }, { text: 'Two.' }],
    options: { replayUserMessages: true },
    prompt: [said('one', 0), result(1), said('two', 1)],
    expect: {
      lines: [
        { type: 'user', isReplay: true, uuid: uuids[0] },
        { type: 'user', isReplay: true, uuid: uuids[1] },
      ],
    },
  }),

  stream('an interrupt while the model speaks', {
    steps: [held('One')],
    script: { unused: 'ignore' },
    prompt: [{ say: 'one' }, begun, { call: 'interrupt' }],
    options: { includePartialMessages: true },
    expect: { results: [{ is_error: true, terminal_reason: 'aborted_streaming' }], answers: [{ still_queued: [] }] },
  }),
  stream('an interrupt before the model speaks', {
    steps: [{ mute: true }],
    script: { unused: 'ignore' },
    prompt: [{ say: 'one' }, begun, { call: 'interrupt' }],
    expect: { results: [{ is_error: true }] },
  }),
  stream('an interrupt while a tool is at work', {
    steps: [working],
    prompt: [{ say: 'one' }, { appears: 'begun' }, { call: 'interrupt' }],
    expect: { results: [{ is_error: true, terminal_reason: 'aborted_tools' }] },
  }),
  stream('an interrupt, and on with another message', {
    steps: [working, { text: 'Two.' }],
    prompt: [{ say: 'one' }, { appears: 'begun' }, { call: 'interrupt' }, result(1), { say: 'two' }],
    expect: { results: [{ is_error: true }, { result: 'Two.' }] },
  }),
  stream('an interrupt with a message that waits', {
    steps: [working, { expect: { user: 'two' }, text: 'Two.' }],
    prompt: [
      said('one', 0),
      { appears: 'begun' },
      said('two', 1, { priority: 'later' }),
      taken(1),
      { call: 'interrupt' },
    ],
    expect: { results: [{ is_error: true }, { result: 'Two.' }], answers: [{ still_queued: [uuids[1]] }] },
  }),
  stream('an interrupt when nothing is at work', {
    steps: [{ text: 'One.' }, { text: 'Two.' }],
    prompt: [{ say: 'one' }, result(1), { call: 'interrupt' }, { say: 'two' }],
    expect: { results: [{ result: 'One.' }, { result: 'Two.' }] },
  }),
  one({
    name: 'an interrupt while a question is open',
    steps: [{ call: 'Write', input: { file_path: '${cwd}/w.txt', content: 'w' } }],
    options: ({ project }) => ({
      canUseTool: async () => {
        writeFileSync(join(project, 'asked'), '');
        return await new Promise<never>(() => {});
      },
    }),
    prompt: [{ say: 'one' }, { appears: 'asked' }, { call: 'interrupt' }],
    expect: { results: [{ is_error: true }], files: { 'w.txt': null } },
  }),

  stream('another mode', {
    steps: [{ text: 'One.' }, { call: 'Write', input: { file_path: '${cwd}/w.txt', content: 'w' } }, { text: 'Two.' }],
    prompt: [{ say: 'one' }, result(1), { call: 'setPermissionMode', with: ['acceptEdits'] }, { say: 'two' }],
    expect: { results: [{}, { result: 'Two.' }], files: { 'w.txt': 'w' }, answers: [undefined] },
  }),
  stream('a mode without consent', {
    steps: [{ text: 'One.' }],
    prompt: [{ say: 'one' }, result(1), { call: 'setPermissionMode', with: ['bypassPermissions'] }],
    expect: { answers: [{ error: /.+/ }] },
  }),
  stream('other settings', {
    steps: [{ text: 'One.' }, { call: 'Write', input: { file_path: '${cwd}/w.txt', content: 'w' } }, { text: 'Two.' }],
    prompt: [
      { say: 'one' },
      result(1),
      { call: 'applyFlagSettings', with: [{ permissions: { allow: ['Write'] } }] },
      { say: 'two' },
    ],
    expect: { files: { 'w.txt': 'w' } },
  }),
  stream('settings taken back', {
    steps: [{ text: 'One.' }, { call: 'Write', input: { file_path: '${cwd}/w.txt', content: 'w' } }, { text: 'Two.' }],
    options: { settings: { permissions: { allow: ['Write'] } } },
    prompt: [{ say: 'one' }, result(1), { call: 'applyFlagSettings', with: [{ permissions: null }] }, { say: 'two' }],
    expect: { files: { 'w.txt': null } },
  }),
  stream('settings that are none', {
    steps: [{ text: 'One.' }],
    prompt: [{ say: 'one' }, result(1), { call: 'applyFlagSettings', with: [{ permissions: { allow: 'Write' } }] }],
    expect: {},
  }),
  stream('other thinking', {
    steps: [{ text: 'One.' }, { text: 'Two.' }],
    prompt: [{ say: 'one' }, result(1), { call: 'setMaxThinkingTokens', with: [2000] }, { say: 'two' }],
    expect: { results: [{}, { result: 'Two.' }] },
  }),
  stream('a model that there is not', {
    steps: [{ text: 'One.' }, { text: 'Two.' }],
    prompt: [{ say: 'one' }, result(1), { call: 'setModel', with: ['no-such-vendor/none'] }, { say: 'two' }],
    script: { unused: 'ignore' },
    expect: {},
  }),
  stream('what the session offers', {
    steps: [{ text: 'One.' }],
    prompt: [
      { say: 'one' },
      { call: 'supportedCommands' },
      { call: 'supportedAgents' },
      { call: 'mcpServerStatus' },
      { call: 'accountInfo' },
    ],
    expect: { results: [{ result: 'One.' }] },
  }),
  stream('a task that there is not', {
    steps: [{ text: 'One.' }],
    prompt: [{ say: 'one' }, result(1), { call: 'stopTask', with: ['none'] }],
    expect: { results: [{ result: 'One.' }] },
  }),
  stream('files that nobody kept', {
    steps: [{ text: 'One.' }],
    prompt: [said('one', 0), result(1), { call: 'rewindFiles', with: [uuids[0]] }],
    expect: { results: [{ result: 'One.' }] },
  }),
  stream('a server that there is not', {
    steps: [{ text: 'One.' }],
    prompt: [
      { say: 'one' },
      result(1),
      { call: 'reconnectMcpServer', with: ['none'] },
      { call: 'toggleMcpServer', with: ['none', true] },
    ],
    expect: { answers: [{ error: /none/ }, { error: /none/ }] },
  }),
];
