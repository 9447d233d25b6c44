import type { Command } from 'unbash';
import { anyFolder } from './open-paths.ts';
import { redirectEffect } from './shell-redirects.ts';
import { argumentWord } from './shell-word.ts';

/** What `echo` and `printf` print, and `cat` of a here-document: a guess, for whoever is given it to run. */
export function printedText({ name, args, redirects }: Command): string | undefined {
  switch (name?.value) {
    case 'echo':
    case 'printf': {
      const words = args.map(argumentWord).filter(({ prefix }) => !/^-[neE]+$/.test(prefix));
      return words
        .map(({ value, spelled }) => value ?? spelled)
        .join(' ')
        .replaceAll('\\n', '\n');
    }
    case 'cat':
    case 'tee':
      return redirectEffect(redirects, anyFolder).input?.value;
    default:
      return undefined;
  }
}
