import { RondoError } from '@rondo/protocol/values';
import type { LoadedSettings, SettingsProblem, SettingsSeverity } from './settings-layer.ts';

const order: readonly SettingsSeverity[] = ['broken', 'error', 'warning', 'notice'];

export function worstFirst(problems: readonly SettingsProblem[]): readonly SettingsProblem[] {
  return problems.toSorted((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity));
}

/** Whether it is told wherever a session begins. The rest stands in `rondo settings`, `rondo permissions list` and `rondo doctor`. */
export function isUrgent({ severity }: Pick<SettingsProblem, 'severity'>): boolean {
  return severity !== 'notice';
}

/** One sentence: file, place, key, what is wrong, and the way on. */
export function problemText({ file, place, key, problem, suggestion }: SettingsProblem): string {
  const where = `${file}${place === undefined ? '' : `:${place}`}${key === undefined ? '' : `: ${key}`}`;
  const wayOn = suggestion === undefined ? '' : `; ${suggestion}`;
  const text = `${where} ${problem}${wayOn}`;
  return text.endsWith('?') ? text : `${text}.`;
}

/**
 * Refuses to work by settings of which a part may be lost.
 * @throws RondoError `input.invalid` with every problem that breaks a source.
 */
export function refuseBroken({ problems }: LoadedSettings): void {
  const broken = problems.filter(({ severity }) => severity === 'broken');
  const [first] = broken;
  if (first === undefined) return;
  throw new RondoError(
    'input.invalid',
    `${broken.map(problemText).join('\n')}\nNothing was started. Mend it, or leave its source out (settingSources, --setting-sources).`,
    { details: { file: first.file, ...(first.place === undefined ? {} : { place: first.place }) } },
  );
}
