import { one, type Scenario } from '../scenario.ts';

const tricky = 'Grüße, 世界 👩‍👩‍👧 \u2028 end\r\n';

/** What a model says, and how a query of one text is told of it. */
export const texts: readonly Scenario[] = [
  one({
    name: 'a text',
    steps: [{ text: 'Hello.' }],
    prompt: 'hi',
    expect: {
      lines: [
        { type: 'system', subtype: 'init', permissionMode: 'default' },
        { type: 'assistant', message: { content: [{ type: 'text', text: 'Hello.' }] } },
        { type: 'result', subtype: 'success', is_error: false, result: 'Hello.', num_turns: 1 },
      ],
    },
  }),
  one({
    name: 'a text of odd characters, both ways',
    steps: [{ expect: { user: 'separated' }, text: [tricky, 'and more'] }],
    prompt: `one\u2028separated ${tricky}`,
    expect: { results: [{ result: `${tricky}and more` }] },
  }),
  one({
    name: 'reasoning before a text',
    steps: [{ reasoning: 'I think.', text: 'So it is.' }],
    prompt: 'hi',
    expect: { lines: [{ type: 'assistant', message: { content: [{ type: 'thinking' }] } }, { type: 'assistant' }] },
  }),
  one({
    name: 'a long text',
    steps: [{ text: 'word '.repeat(20_000) }],
    prompt: 'hi',
    expect: { results: [{ subtype: 'success' }] },
  }),
  one({
    name: 'a long prompt',
    steps: [{ text: 'I read it.' }],
    prompt: 'word '.repeat(20_000),
    expect: { results: [{ result: 'I read it.' }] },
  }),
  one({
    name: 'two texts in one reply',
    steps: [{ reply: [{ text: 'one' }, { text: 'two' }] }],
    prompt: 'hi',
    expect: { results: [{ subtype: 'success' }] },
  }),
  one({
    name: 'usage and a stop at the most tokens',
    steps: [{ text: 'cut off', stop: 'max_tokens', usage: { inputTokens: 11, outputTokens: 7 } }],
    prompt: 'hi',
    expect: { results: [{}] },
  }),
  one({
    name: 'partial messages',
    steps: [{ text: ['Hel', 'lo'] }],
    options: { includePartialMessages: true },
    prompt: 'hi',
    expect: {
      lines: [
        { type: 'stream_event', event: { type: 'message_start' } },
        { type: 'stream_event', event: { type: 'content_block_delta' } },
        { type: 'assistant' },
        { type: 'stream_event', event: { type: 'message_stop' } },
        { type: 'result' },
      ],
    },
  }),
  one({
    name: 'partial messages of reasoning and a call',
    steps: [
      { reasoning: ['I ', 'look'], call: 'Read', input: { file_path: '${cwd}/a.txt' } },
      { text: ['It is ', 'A.'] },
    ],
    files: { 'a.txt': 'A\n' },
    options: { includePartialMessages: true },
    prompt: 'hi',
    expect: { lines: [{ type: 'stream_event' }, { type: 'assistant' }, { type: 'user' }, { type: 'result' }] },
  }),
  one({
    name: 'a system prompt',
    steps: [{ expect: { system: 'You are terse.' }, text: 'Yes.' }],
    options: { systemPrompt: 'You are terse.' },
    prompt: 'hi',
    expect: { results: [{ result: 'Yes.' }] },
  }),
  one({
    name: 'the preset of a system prompt',
    steps: [{ text: 'Yes.' }],
    options: { systemPrompt: { type: 'preset', preset: 'claude_code' } },
    prompt: 'hi',
    expect: { results: [{ result: 'Yes.' }] },
  }),
  one({
    name: 'the preset with more behind it',
    steps: [{ expect: { system: 'Always rhyme.' }, text: 'Yes.' }],
    options: { systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Always rhyme.' } },
    prompt: 'hi',
    expect: { results: [{ result: 'Yes.' }] },
  }),
  one({
    name: 'the preset without what differs from session to session',
    steps: [{ text: 'Yes.' }],
    options: { systemPrompt: { type: 'preset', preset: 'claude_code', excludeDynamicSections: true } },
    prompt: 'hi',
    expect: { results: [{ result: 'Yes.' }] },
  }),
  ...(['low', 'medium', 'high', 'xhigh', 'max'] as const).map((effort) =>
    one({
      name: `the effort ${effort}`,
      steps: [{ text: 'Yes.' }],
      options: { effort },
      prompt: 'hi',
      expect: { results: [{ result: 'Yes.' }] },
    }),
  ),
  ...(
    [{ type: 'adaptive' }, { type: 'enabled', budgetTokens: 2000 }, { type: 'enabled' }, { type: 'disabled' }] as const
  ).map((thinking) =>
    one({
      name: `thinking ${JSON.stringify(thinking)}`,
      steps: [{ text: 'Yes.' }],
      options: { thinking },
      prompt: 'hi',
      expect: { results: [{ result: 'Yes.' }] },
    }),
  ),
  one({
    name: 'at most so many tokens of thinking',
    steps: [{ text: 'Yes.' }],
    options: { maxThinkingTokens: 1500 },
    prompt: 'hi',
    expect: { results: [{ result: 'Yes.' }] },
  }),
  one({
    name: 'a title',
    steps: [{ text: 'Yes.' }],
    options: { title: 'The first one' },
    prompt: 'hi',
    expect: { results: [{ result: 'Yes.' }] },
  }),
  one({
    name: 'a model that names itself otherwise',
    steps: [{ text: 'Yes.', model: 'another-name' }],
    prompt: 'hi',
    expect: { results: [{ result: 'Yes.' }] },
  }),
  one({
    name: 'a message that is replayed',
    steps: [{ text: 'Yes.' }],
    options: { replayUserMessages: true },
    prompt: 'hi',
    expect: { lines: [{ type: 'user', isReplay: true }, { type: 'result' }] },
  }),
];
