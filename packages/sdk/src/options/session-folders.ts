import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import type { OpeningMoment } from './opening-moment.ts';
import type { Options } from './options.ts';

/** The session's folder, then the additional ones, absolute. */
export function foldersOf(
  options: Pick<Options, 'additionalDirectories' | 'cwd'>,
  moment?: OpeningMoment,
): readonly [string, ...string[]] {
  const path = resolve(options.cwd ?? process.cwd());
  const cwd = moment?.once(`folder ${path}`, () => folder('cwd', path)) ?? folder('cwd', path);
  return [
    cwd,
    ...(options.additionalDirectories ?? []).map((name) => folder('additionalDirectories', resolve(cwd, name))),
  ];
}

function folder(option: string, path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new RondoError('input.invalid', `options.${option}: ${path} is not a folder.`, { details: { option, path } });
}
