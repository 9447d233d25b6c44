import type { Options } from '../options/options.ts';

/** Where to say what a person may want to know and no message says: the program's `stderr`, or a warning of the process. */
export function noteFor({ stderr }: Pick<Options, 'stderr'>): (text: string) => void {
  if (stderr !== undefined) return (text) => stderr(`${text}\n`);
  return (text) => process.emitWarning(text, 'RondoWarning');
}
