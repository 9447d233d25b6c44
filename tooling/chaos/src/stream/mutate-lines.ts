import type { Mutation } from './mutate-bytes.ts';
import type { Random } from './random.ts';

const strayLines: readonly string[] = [
  ': a comment',
  'data',
  'data:',
  'data: ',
  'data: null',
  'data: []',
  'data: "a text"',
  'data: {}',
  'data: {"type":"ping"}',
  'data: [DONE]',
  'data:[DONE]',
  'event: ping',
  'event: error',
  'id: 7',
  'retry: 100',
  'dataset: 1',
  '\ufeffdata: {}',
  ' data: {}',
  '<html>bad gateway</html>',
];

/** Damage to lines and events, whose insides stay whole. Works on bytes as text, so that no character changes. */
export const lineMutations: Readonly<Record<string, Mutation>> = {
  'a line lost': onLines((lines, random) => lines.toSpliced(random.below(lines.length), 1)),
  'a line twice': onLines((lines, random) => twice(lines, random)),
  'two lines changed over': onLines((lines, random) => swapped(lines, random)),
  'a line put in': onLines((lines, random) =>
    lines.toSpliced(random.below(lines.length + 1), 0, random.pick(strayLines)),
  ),
  'an event put in': onEvents((events, random) =>
    events.toSpliced(random.below(events.length + 1), 0, `${random.pick(strayLines)}\n\n`),
  ),
  'an event lost': onEvents((events, random) => events.toSpliced(random.below(events.length), 1)),
  'an event twice': onEvents((events, random) => twice(events, random)),
  'an event a hundred times': onEvents((events, random) => {
    const place = random.below(events.length);
    return events.toSpliced(place, 0, ...Array.from({ length: 99 }, () => events[place] ?? ''));
  }),
  'two events changed over': onEvents((events, random) => swapped(events, random)),
  'an event elsewhere': onEvents((events, random) => {
    const [event = ''] = events.slice(random.below(events.length));
    const rest = events.filter((each) => each !== event);
    return rest.toSpliced(random.below(rest.length + 1), 0, event);
  }),
  'the end first': onEvents((events) => [...events.slice(-1), ...events.slice(0, -1)]),
  'all of it twice': onEvents((events) => [...events, ...events]),
  'lines that end otherwise': (bytes, random) =>
    Buffer.from(bytes.toString('latin1').replaceAll('\n', random.pick(['\r\n', '\r', '\n\r', '\n\n'])), 'latin1'),
};

function onLines(change: (lines: readonly string[], random: Random) => readonly string[]): Mutation {
  return (bytes, random) => Buffer.from(change(bytes.toString('latin1').split('\n'), random).join('\n'), 'latin1');
}

function onEvents(change: (events: readonly string[], random: Random) => readonly string[]): Mutation {
  return (bytes, random) => Buffer.from(change(bytes.toString('latin1').split(/(?<=\n\n)/), random).join(''), 'latin1');
}

function twice(members: readonly string[], random: Random): readonly string[] {
  const place = random.below(members.length);
  return members.toSpliced(place, 0, members[place] ?? '');
}

function swapped(members: readonly string[], random: Random): readonly string[] {
  const [left, right] = [random.below(members.length), random.below(members.length)];
  return members.with(left, members[right] ?? '').with(right, members[left] ?? '');
}
