import type { ScriptStep } from '@rondo/providers/scripted';
import type { Episode, Scenario } from '../scenario.ts';

const id = '00000000-2222-4333-8444-555555555555';
const one: Episode = { prompt: 'one', expect: { results: [{ result: 'One.' }] } };
const steps: readonly ScriptStep[] = [{ text: 'One.' }, { expect: { user: 'two' }, text: 'Two.' }];
const second = (
  options: Episode['options'],
  expect: Episode['expect'] = { results: [{ result: 'Two.' }] },
): Episode => ({
  prompt: 'two',
  ...(options === undefined ? {} : { options }),
  expect,
});

/** Sessions that are gone on with, copied, named, and not kept. */
export const sessions: readonly Scenario[] = [
  { name: 'resumed', steps, episodes: [one, second(({ sessionId }) => ({ resume: sessionId() }))] },
  { name: 'continued', steps, episodes: [one, second({ continue: true })] },
  { name: 'forked', steps, episodes: [one, second(({ sessionId }) => ({ resume: sessionId(), forkSession: true }))] },
  {
    name: 'forked under a name',
    steps,
    episodes: [one, second(({ sessionId }) => ({ resume: sessionId(), forkSession: true, sessionId: id }))],
  },
  {
    name: 'named',
    steps: [{ text: 'One.' }],
    episodes: [{ ...one, options: { sessionId: id }, expect: { lines: [{ session_id: id }] } }],
  },
  {
    name: 'a name that is taken',
    steps: [{ text: 'One.' }],
    script: { unused: 'ignore' },
    episodes: [{ ...one, options: { sessionId: id } }, second({ sessionId: id }, { throws: /.+/ })],
  },
  {
    name: 'resumed at a message',
    // Behind the first answer the script goes on with the second one, once more.
    steps: [{ text: 'One.' }, { text: 'Two.' }],
    episodes: [
      one,
      second(({ sessionId }) => ({ resume: sessionId() })),
      {
        prompt: 'three',
        options: ({ sessionId, lines }) => {
          const answer = lines(0).find((line) => line.type === 'assistant');
          return { resume: sessionId(), resumeSessionAt: answer?.uuid ?? '' };
        },
        expect: { results: [{ result: 'Two.' }] },
      },
    ],
  },
  { name: 'not kept', steps: [{ text: 'One.' }], episodes: [{ ...one, options: { persistSession: false } }] },
  {
    name: 'resumed by a stream',
    steps: [...steps, { text: 'Three.' }],
    episodes: [
      one,
      {
        prompt: [{ say: 'two' }, { until: { type: 'result' } }, { say: 'three' }],
        options: ({ sessionId }) => ({ resume: sessionId() }),
        expect: { results: [{ result: 'Two.' }, { result: 'Three.' }] },
      },
    ],
  },
  {
    name: 'resumed with other tools',
    steps: [{ text: 'One.' }, { expect: { tools: ['Read'] }, text: 'Two.' }],
    episodes: [one, second(({ sessionId }) => ({ resume: sessionId(), tools: ['Read'] }))],
  },
  {
    name: 'resumed after an interrupt',
    steps: [
      { call: 'Bash', input: { command: 'touch begun; sleep 600' } },
      { expect: { user: 'two' }, text: 'Two.' },
    ],
    episodes: [
      {
        prompt: [{ say: 'one' }, { appears: 'begun' }, { call: 'interrupt' }],
        options: { allowedTools: ['Bash'] },
        expect: { results: [{ is_error: true }] },
      },
      second(({ sessionId }) => ({ resume: sessionId() })),
    ],
  },
  {
    name: 'resumed in plan mode',
    steps: [{ text: 'One.' }, { call: 'Write', input: { file_path: '${cwd}/w.txt', content: 'w' } }, { text: 'Two.' }],
    episodes: [
      one,
      second(({ sessionId }) => ({ resume: sessionId(), permissionMode: 'plan' }), { files: { 'w.txt': null } }),
    ],
  },
  {
    name: 'three episodes of one session, with what each cost',
    steps: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    script: { price: { input: 1, output: 2 } },
    episodes: [
      one,
      second(({ sessionId }) => ({ resume: sessionId() })),
      { prompt: 'three', options: { continue: true }, expect: { results: [{ result: 'Three.' }] } },
    ],
  },
];
