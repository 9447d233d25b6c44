import { type Flag, type FlagTable, flagSpelling } from './flag.ts';
import { wrapWords } from './wrap-words.ts';

export interface HelpPage {
  /** One line a form of the command. */
  readonly usage: readonly string[];
  readonly about: string;
  /** Pairs of what is typed and what it does, under their heading. */
  readonly sections?: readonly { readonly title: string; readonly rows: readonly Row[] }[];
  readonly flags: FlagTable;
  readonly footer?: string;
}

type Row = readonly [left: string, right: string];

const indent = 2;
const gap = 2;
const widest = 100;

/** The page as text, every line within the width. */
export function helpText(page: HelpPage, columns: number): string {
  const width = Math.max(40, Math.min(columns, widest));
  const groups = Map.groupBy(
    Object.entries(page.flags).filter(([, flag]) => flag.hidden !== true),
    ([, flag]) => flag.group,
  );
  const sections = [
    ...(page.sections ?? []),
    ...[...groups].map(([title, flags]) => ({ title, rows: flags.map(([name, flag]) => flagRow(name, flag)) })),
  ];
  const left = Math.max(...sections.flatMap(({ rows }) => rows.map(([typed]) => typed.length)));
  return [
    ...page.usage.map((form, index) => `${index === 0 ? 'Usage:' : '      '} ${form}`),
    '',
    ...wrapWords(page.about, width),
    ...sections.flatMap(({ title, rows }) => ['', `${title}:`, ...rows.flatMap((row) => rowLines(row, left, width))]),
    ...(page.footer === undefined ? [] : ['', ...wrapWords(page.footer, width)]),
    '',
  ].join('\n');
}

function flagRow(name: string, flag: Flag): Row {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  const value = flag.placeholder ?? 'VALUE';
  const taken = { switch: '', value: ` ${value}`, list: ` ${value}`, optional: ` [${value}]` }[flag.kind];
  const unnamed = flag.choices?.some((choice) => !flag.description.includes(choice)) ?? false;
  const choices = unnamed ? ` (${flag.choices?.join(', ')})` : '';
  return [`${short}${flagSpelling(name, flag)}${taken}`, `${flag.description}${choices}`];
}

/** Two columns where they fit; on a narrow terminal the right one goes below. */
function rowLines([left, right]: Row, leftWidth: number, width: number): string[] {
  const start = indent + leftWidth + gap;
  if (width - start < 24) {
    return [`${' '.repeat(indent)}${left}`, ...wrapWords(right, width - 8).map((line) => `${' '.repeat(8)}${line}`)];
  }
  const [first = '', ...rest] = wrapWords(right, width - start);
  return [
    `${' '.repeat(indent)}${left.padEnd(leftWidth + gap)}${first}`,
    ...rest.map((line) => `${' '.repeat(start)}${line}`),
  ];
}
