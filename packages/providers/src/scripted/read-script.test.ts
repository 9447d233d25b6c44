import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRondoError } from '@rondo/protocol/values';
import { expect, test } from 'vitest';
import { formSchema } from './form-schema.ts';
import { readScript } from './read-script.ts';
import { scriptForm } from './script-form.ts';

async function problems(text: string, file = 'a.yaml'): Promise<unknown> {
  const error: unknown = await readScript(text, { file }).catch((thrown: unknown) => thrown);
  if (!isRondoError(error, 'input.invalid')) throw new Error(`expected a refusal, got ${JSON.stringify(error)}`);
  return error.details['problems'];
}

const head = 'version: 1\nsteps:\n';

test.each([
  [
    'an unknown key',
    'version: 1\nunsued: error\nsteps: []',
    ['a.yaml:2: unsued: there is no such key; did you mean unused?'],
  ],
  ['no steps', 'version: 1', ['a.yaml:1: there is no steps']],
  ['another version', 'version: 2\nsteps: []', ['a.yaml:1: version: must be 1, not 2']],
  ['broken YAML', 'version: 1\nsteps:\n  - text: [hi\n', [expect.stringMatching(/^a\.yaml:4:1: Flow sequence/)]],
  [
    'a choice',
    'version: 1\norder: onec\nsteps: []',
    ['a.yaml:2: order: "onec" is none of conversation, once, cycle; did you mean once?'],
  ],
  ['a kind', `${head}  - text: 3`, ['a.yaml:3: steps[0].text: must be a text or a list, not 3']],
  [
    'a pattern',
    'version: 1\nignore: ["("]\nsteps: []',
    [expect.stringMatching(/^a\.yaml:2: ignore\[0\]: Invalid regular expression/)],
  ],
  [
    'a step that says nothing',
    `${head}  - text: a\n  - usage: { inputTokens: 1, outputTokens: 1 }`,
    [expect.stringMatching(/^a\.yaml:4: steps\[1\]: says nothing/)],
  ],
  [
    'a step that says two things',
    `${head}  - text: a\n    error: { status: 500 }`,
    [expect.stringContaining('says two things, text, reasoning or call and error')],
  ],
  [
    'input without a call',
    `${head}  - text: a\n    input: {}`,
    ['a.yaml:4: steps[0].input: belongs to a call, but there is none beside it'],
  ],
  [
    'two blocks in one',
    `${head}  - reply:\n      - text: a\n        call: b`,
    [expect.stringMatching(/^a\.yaml:4: steps\[0\]\.reply\[0\]: is text and call/)],
  ],
  [
    'a code',
    `${head}  - error: { code: model.overload }`,
    ['a.yaml:3: steps[0].error.code: model.overload is no code of an error; did you mean model.overloaded?'],
  ],
  ['a status', `${head}  - error: { status: 200 }`, ['a.yaml:3: steps[0].error.status: 200 is no status of an error']],
  [
    'two faults',
    `${head}  - text: a\n    fault: { cut: headers, silence: headers }`,
    ['a.yaml:4: steps[0].fault: is one of cut, silence, error and badJson'],
  ],
  ['the old list', '- type: text', [expect.stringContaining('a script is a mapping')]],
])('%s is told with file, line, key and a way on', async (_name, text, expected) => {
  expect(await problems(text)).toEqual(expected);
});

test('JSON is the same, with the same lines', async () => {
  const text = '{\n  "version": 1,\n  "steps": [\n    { "txt": "a" }\n  ]\n}';
  expect(await problems(text, 'a.json')).toEqual(['a.json:4: steps[0].txt: there is no such key; did you mean text?']);
  const script = await readScript(text.replace('txt', 'text'), { file: 'a.json' });
  expect(script.steps.map(({ said }) => said)).toEqual([{ text: 'a' }]);
});

test('variables stand for folders, shell variables and escaped ones for themselves', async () => {
  const variables = { cwd: '/work', home: '/home/ann' };
  const script = await readScript(
    `${head}  - call: Bash\n    input: { command: "cd \${cwd} && ls \${HOME} $\${cwd} \${home}/x" }`,
    {
      variables,
    },
  );
  expect(script.steps[0]?.said.input).toEqual({ command: 'cd /work && ls ${HOME} ${cwd} /home/ann/x' });
});

test('what is recorded of a request holds for the steps below it', async () => {
  const script = await readScript(
    `${head}  - { request: { system: s, tools: [], user: a }, text: b }\n  - { request: { user: c }, text: d }\n  - { request: { system: t, user: e }, text: f }`,
  );
  expect(script.steps.map(({ request }) => request)).toEqual([
    { system: 's', tools: [], user: 'a' },
    { system: 's', tools: [], user: 'c' },
    { system: 't', tools: [], user: 'e' },
  ]);
});

test('the JSON Schema of the package is the one of the format', () => {
  const file = join(import.meta.dirname, '..', '..', 'script.schema.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A script of a model, for rondo --model scripted/FILE',
    ...formSchema(scriptForm),
  });
});
