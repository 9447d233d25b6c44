import { modeTable, callKinds, type CallKind } from '@rondo/runtime';
import type { PermissionList } from '@rondo/sdk';
import { wrapWords } from '../command/wrap-words.ts';
import type { Paint } from '../terminal/painter.ts';
import { printableText } from '../terminal/printable-text.ts';

const order = { deny: 0, ask: 1, allow: 2 } as const;
const verdicts = {
  run: 'runs',
  refuse: 'refused',
  ask: 'asked about',
  deny: 'denied',
  classify: 'for the classifier',
} as const;

/** What may run in a folder, for people: the mode with what it does, folders, every rule with where it is from. */
export function listText(
  list: PermissionList,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string {
  const { mode, directories, rules, notices, untrusted, hash } = list;
  const sources = [...new Set(rules.map(({ source }) => source))];
  const line = (text: string, indent = 2): string[] =>
    wrapWords(printableText(text), width - indent).map(
      (each, index) => `${' '.repeat(index === 0 ? indent : indent + 2)}${each}`,
    );
  const kinds = Object.keys(callKinds) as CallKind[];
  return `${[
    paint('bold', `Mode ${mode}`),
    ...kinds.flatMap((kind) => line(`${verdicts[modeTable[mode][kind]].padEnd(18)} ${callKinds[kind]}`)),
    '',
    paint('bold', 'Folders'),
    ...directories.flatMap((directory) => line(directory)),
    ...sources.flatMap((source) => [
      '',
      paint('bold', printableText(source)),
      ...rules
        .filter((rule) => rule.source === source)
        .sort((one, other) => order[one.behavior] - order[other.behavior])
        .flatMap(({ behavior, rule, grants }) =>
          line(`${behavior.padEnd(5)} ${rule}${grants === undefined ? '' : `  (${grants})`}`),
        ),
    ]),
    ...(sources.length === 0 ? ['', 'There are no rules.'] : []),
    ...(notices.length === 0 ? [] : ['', paint('bold', 'To be said of them')]),
    ...notices.flatMap((notice) => line(notice)),
    ...(untrusted === undefined ? [] : ['', ...wrapWords(printableText(untrusted), width)]),
    '',
    paint('dim', `policy ${hash.slice(0, 16)}`),
  ].join('\n')}\n`;
}
