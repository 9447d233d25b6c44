import type { HereDoc, Redirect, Redirection } from 'unbash';
import type { Folders } from './open-paths.ts';
import { openPaths } from './open-paths.ts';
import { isRiskyVariable } from './risky-variables.ts';
import type { ShellPath } from './shell-line.ts';
import { plainWord, readWord, type ShellWord } from './shell-word.ts';

/** What the redirects of a command do. */
export interface RedirectEffect {
  readonly paths: readonly ShellPath[];
  /** What it reads from its standard input where the line itself holds that. */
  readonly input: ShellWord | undefined;
  readonly unclear?: string;
}

const none: RedirectEffect = { paths: [], input: undefined };

export function redirectEffect(redirects: readonly Redirection[], folders: Folders): RedirectEffect {
  if (redirects.length === 0) return none;
  const paths: ShellPath[] = [];
  let input: ShellWord | undefined;
  let unclear: string | undefined;
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    if (descriptor?.type === 'FileDescriptorVariable' && isRiskyVariable(descriptor.name))
      unclear ??= `a redirect sets ${descriptor.name}`;
    if (redirect.type === 'HereDoc') input = bodyOf(redirect);
    else if (redirect.type === 'HereString')
      input = redirect.target === undefined ? undefined : readWord(redirect.target);
    else if (redirect.target === undefined) unclear ??= 'a redirect names no file';
    else {
      const word = readWord(redirect.target);
      if (redirect.operator === '<') input = undefined;
      if (/^\/dev\/(?:tcp|udp)\//.test(word.prefix))
        unclear ??= `the redirect to ${word.spelled} opens a network connection`;
      paths.push(...opened(redirect, word, folders));
    }
  }
  return unclear === undefined ? { paths, input } : { paths, input, unclear };
}

function opened({ operator }: Redirect, word: ShellWord, folders: Folders): readonly ShellPath[] {
  if (operator === '<') return openPaths(folders, { access: 'read' }, word);
  if (operator === '<&') return [];
  if (operator === '>&' && word.value !== undefined && /^(?:\d+-?|-)$/.test(word.value)) return [];
  return openPaths(folders, { access: 'write' }, word);
}

function bodyOf({ body, delimiter }: HereDoc): ShellWord | undefined {
  const parts = body.parts ?? [];
  if (delimiter?.quoted === true) return plainWord(body.text);
  if (parts.some(({ type }) => type !== 'Literal')) return undefined;
  return plainWord(body.text.replaceAll(/\\([$`\\])|\\\n/g, '$1'));
}
