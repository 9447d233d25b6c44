import type { ScriptStep } from '@rondo/providers/scripted';
import { one, type Scenario } from '../scenario.ts';

const go: ScriptStep = { text: 'Done.' };
const files = {
  'a.txt': 'alpha\nbeta\n',
  'src/one.ts': 'export const one = 1;\n',
  'src/two.ts': 'export const two = 2;\n',
};

/** A call, and what comes of it, with everything allowed that is not asked about here. */
function calling(
  name: string,
  call: string,
  input: Readonly<Record<string, unknown>>,
  { options = {}, expect = {} }: Partial<Pick<Parameters<typeof one>[0], 'expect'>> & { options?: object } = {},
): Scenario {
  return one({
    name,
    steps: [{ call, input: input as never }, go],
    files,
    options: { permissionMode: 'acceptEdits', ...options },
    prompt: 'go',
    expect: { results: [{ result: 'Done.', num_turns: 2 }], ...expect },
  });
}

const resultOf = (content: unknown) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', ...(content as object) }] },
});

/** Each of the six tools, well and badly called, and several calls in one reply. */
export const tools: readonly Scenario[] = [
  calling('Read', 'Read', { file_path: '${cwd}/a.txt' }, { expect: { lines: [resultOf({ tool_use_id: 'call-1' })] } }),
  calling('Read of a part', 'Read', { file_path: '${cwd}/a.txt', offset: 2, limit: 1 }),
  calling(
    'Read of what is not there',
    'Read',
    { file_path: '${cwd}/none.txt' },
    { expect: { lines: [resultOf({ is_error: true })] } },
  ),
  calling(
    'Read of a folder',
    'Read',
    { file_path: '${cwd}/src' },
    { expect: { lines: [resultOf({ is_error: true })] } },
  ),
  calling(
    'Write of a new file',
    'Write',
    { file_path: '${cwd}/new.txt', content: 'new\n' },
    { expect: { files: { 'new.txt': 'new\n' } } },
  ),
  calling('Write over a file that was not read', 'Write', { file_path: '${cwd}/a.txt', content: 'new\n' }),
  calling(
    'Write into a new folder',
    'Write',
    { file_path: '${cwd}/deep/er/new.txt', content: '\u2028\r\n' },
    { expect: { files: { 'deep/er/new.txt': '\u2028\r\n' } } },
  ),
  calling('Edit of a file that was not read', 'Edit', {
    file_path: '${cwd}/a.txt',
    old_string: 'alpha',
    new_string: 'ALPHA',
  }),
  calling(
    'Edit of what is not in the file',
    'Edit',
    { file_path: '${cwd}/a.txt', old_string: 'gamma', new_string: 'x' },
    { expect: { lines: [resultOf({ is_error: true })] } },
  ),
  one({
    name: 'Read, then Edit',
    steps: [
      { call: 'Read', input: { file_path: '${cwd}/a.txt' } },
      { call: 'Edit', input: { file_path: '${cwd}/a.txt', old_string: 'beta', new_string: 'BETA' } },
      go,
    ],
    files,
    options: { permissionMode: 'acceptEdits' },
    prompt: 'go',
    expect: { results: [{ num_turns: 3 }], files: { 'a.txt': 'alpha\nBETA\n' } },
  }),
  one({
    name: 'Read, then an Edit of every place',
    steps: [
      { call: 'Read', input: { file_path: '${cwd}/a.txt' } },
      { call: 'Edit', input: { file_path: '${cwd}/a.txt', old_string: 'a', new_string: '4', replace_all: true } },
      go,
    ],
    files,
    options: { permissionMode: 'acceptEdits' },
    prompt: 'go',
    expect: { files: { 'a.txt': '4lph4\nbet4\n' } },
  }),
  calling('Bash that prints', 'Bash', { command: 'echo out; echo err >&2' }, { options: { allowedTools: ['Bash'] } }),
  calling(
    'Bash that fails',
    'Bash',
    { command: 'echo no; exit 3' },
    { options: { allowedTools: ['Bash'] }, expect: { lines: [resultOf({ is_error: true })] } },
  ),
  calling(
    'Bash that takes too long',
    'Bash',
    { command: 'sleep 60', timeout: 100 },
    { options: { allowedTools: ['Bash'] } },
  ),
  calling('Bash with much output', 'Bash', { command: 'seq 1 30000' }, { options: { allowedTools: ['Bash'] } }),
  calling(
    'Bash with odd characters',
    'Bash',
    { command: "printf '漢字 \\342\\200\\250 \\001 x'" },
    { options: { allowedTools: ['Bash'] } },
  ),
  calling(
    'Bash that writes',
    'Bash',
    { command: 'echo x > made.txt' },
    { options: { allowedTools: ['Bash'] }, expect: { files: { 'made.txt': 'x\n' } } },
  ),
  calling('Glob', 'Glob', { pattern: 'src/*.ts' }, { options: { tools: ['Glob'] } }),
  calling('Glob that finds nothing', 'Glob', { pattern: '*.none' }, { options: { tools: ['Glob'] } }),
  calling('Grep', 'Grep', { pattern: 'two' }, { options: { tools: ['Grep'] } }),
  calling(
    'Grep with lines',
    'Grep',
    { pattern: 'export', path: '${cwd}/src/one.ts', output_mode: 'content', '-n': true },
    { options: { tools: ['Grep'] } },
  ),
  calling('a tool that there is not', 'Fly', { to: 'the moon' }, { expect: { lines: [resultOf({ is_error: true })] } }),
  calling(
    'a tool that was not given',
    'Bash',
    { command: 'ls' },
    { options: { tools: ['Read'] }, expect: { lines: [resultOf({ is_error: true })] } },
  ),
  calling('an input of the wrong shape', 'Read', { path: 7 }, { expect: { lines: [resultOf({ is_error: true })] } }),
  one({
    name: 'an input that is no JSON',
    steps: [{ call: 'Read', json: '{"file_path": ' }, go],
    files,
    prompt: 'go',
    expect: { results: [{ result: 'Done.' }] },
  }),
  one({
    name: 'a text and a call in one reply',
    steps: [{ text: 'I look.', call: 'Read', input: { file_path: '${cwd}/a.txt' } }, go],
    files,
    prompt: 'go',
    expect: {
      lines: [
        { type: 'assistant', message: { content: [{ type: 'text' }] } },
        { type: 'assistant', message: { content: [{ type: 'tool_use' }] } },
      ],
    },
  }),
  one({
    name: 'two writes of one reply, in their order',
    steps: [
      {
        reply: [
          { call: 'Write', input: { file_path: '${cwd}/one.txt', content: '1' } },
          { call: 'Write', input: { file_path: '${cwd}/two.txt', content: '2' } },
        ],
      },
      go,
    ],
    options: { permissionMode: 'acceptEdits' },
    prompt: 'go',
    expect: { files: { 'one.txt': '1', 'two.txt': '2' } },
  }),
  one({
    name: 'a command that waits for what the next read does not wait for',
    steps: [
      {
        reply: [
          { call: 'Bash', input: { command: 'echo first' } },
          { call: 'Write', input: { file_path: '${cwd}/w.txt', content: 'w' } },
          { call: 'Bash', input: { command: 'cat w.txt' } },
        ],
      },
      go,
    ],
    options: { permissionMode: 'acceptEdits', allowedTools: ['Bash'] },
    prompt: 'go',
    expect: { results: [{ num_turns: 2 }] },
  }),
  one({
    name: 'a good and a bad call of one reply',
    steps: [
      {
        reply: [
          { call: 'Write', input: { file_path: '${cwd}/one.txt', content: '1' } },
          { call: 'Fly', input: {} },
          { call: 'Write', input: { file_path: '${cwd}/two.txt', content: '2' } },
        ],
      },
      go,
    ],
    options: { permissionMode: 'acceptEdits' },
    prompt: 'go',
    expect: { files: { 'one.txt': '1', 'two.txt': '2' } },
  }),
  one({
    name: 'ten steps',
    steps: [
      ...Array.from({ length: 10 }, (): ScriptStep => ({ call: 'Read', input: { file_path: '${cwd}/a.txt' } })),
      go,
    ],
    files,
    prompt: 'go',
    expect: { results: [{ num_turns: 11 }] },
  }),
  one({
    name: 'no tools at all',
    steps: [{ expect: { tools: [] }, text: 'Done.' }],
    options: { tools: [] },
    prompt: 'go',
    expect: { lines: [{ type: 'system', subtype: 'init', tools: [] }] },
  }),
  one({
    name: 'the tools of the preset',
    steps: [go],
    options: { tools: { type: 'preset', preset: 'claude_code' } },
    prompt: 'go',
    expect: { lines: [{ type: 'system', subtype: 'init', tools: ['Read', 'Write', 'Edit', 'Bash'] }] },
  }),
  one({
    name: 'a folder beside the own one',
    steps: [{ call: 'Read', input: { file_path: '${cwd}/../home/b.txt' } }, go],
    files: { '../home/b.txt': 'beside\n' },
    options: ({ project }) => ({ additionalDirectories: [`${project}/../home`] }),
    prompt: 'go',
    expect: { results: [{ permission_denials: [] }] },
  }),
  one({
    name: 'the environment that commands see',
    steps: [
      { call: 'Bash', input: { command: 'echo "seen: $SEEN"' } },
      { expect: { results: ['seen: yes'] }, text: 'Done.' },
    ],
    env: { SEEN: 'yes' },
    options: { allowedTools: ['Bash'] },
    prompt: 'go',
    expect: { results: [{ result: 'Done.' }] },
  }),
];
