import { type NameBytes, nameText, printableName } from './file-names.ts';
import type { Search } from './open-search.ts';
import type { RipgrepEnd } from './run-ripgrep.ts';

const mostNamed = 5;

/** What makes a result less than the whole: time that was over, places that could not be searched. */
export function incompleteNotes(search: Search, end: RipgrepEnd): string[] {
  const notes: string[] = [];
  if (end.ending === 'timeout') {
    notes.push(
      `The search was ended after ${search.timeoutMs / 1000} s: this is a part of what there is. Narrow the path, glob or type.`,
    );
  }
  // They come in the order in which threads met them.
  const failures = [...end.failures]
    .sort()
    .map((failure) => parseFailure(failure, search.file?.name))
    .filter(({ name }) => search.isShown(name));
  if (failures.length === 0) return notes;
  // Where rules hide paths, their number is hidden too.
  const count = search.hasHiddenPaths ? failures.length : end.failureCount;
  const named = failures
    .slice(0, mostNamed)
    .map(({ name, reason }) => `${printableName(search.pathOf(name))} (${reason})`);
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  notes.push(`Not searched, or not to the end: ${named.join(', ')}${more}.`);
  return notes;
}

/** Why nothing may have been found although there is something. Tells the same whatever the hidden files hold. */
export function emptyNotes(search: Search): string[] {
  return [
    ...(search.hasIgnoreRules ? ['What .gitignore leaves out is not searched, unless path names its folder.'] : []),
    ...(search.hasHiddenPaths ? ['Permission rules keep some paths out of searches.'] : []),
  ];
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The lines of a result, then what is to be said about it. */
export function withNotes(text: string, notes: readonly string[]): string {
  return notes.length === 0 ? text : `${text}\n\n[${notes.join(' ')}]`;
}

/** `file` where the search is for one file, which ripgrep knows by another path. */
function parseFailure(failure: string, file?: NameBytes): { readonly name: NameBytes; readonly reason: string } {
  const end = failure.indexOf(': ');
  const name = file ?? (end === -1 ? failure : failure.slice(0, end)).replace(/^\.\//, '');
  const said = nameText(end === -1 ? '' : failure.slice(failure.lastIndexOf(': ') + 2));
  const reason = said.replace(/ \(os error \d+\)/, '').trim();
  return { name, reason: reason.charAt(0).toLowerCase() + reason.slice(1) };
}
