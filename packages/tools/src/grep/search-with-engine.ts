import { ToolError } from '@rondo/runtime';
import { nearNames } from '../file/locate-file.ts';
import type { Search } from '../search/open-search.ts';
import type { RipgrepEnd } from '../search/run-ripgrep.ts';
import type { GrepInput } from './grep-input.ts';

export interface EngineEnd {
  readonly end: RipgrepEnd;
  /** What chose the engine, for further runs. */
  readonly engine: readonly string[];
}

/**
 * Runs a search with ripgrep's own engine and, where the pattern needs look-around or backreferences, with PCRE2.
 * @throws ToolError which says why neither takes the pattern.
 */
export async function searchWithEngine(
  search: Search,
  input: GrepInput,
  run: (engine: readonly string[]) => Promise<RipgrepEnd>,
): Promise<EngineEnd> {
  let engine: readonly string[] = [];
  let end = await run(engine);
  if (end.refusal?.includes('--pcre2') === true) {
    engine = ['--pcre2'];
    end = await run(engine);
  }
  if (end.refusal !== undefined) throw await refusalError(search, input, end.refusal);
  return { end, engine };
}

async function refusalError(search: Search, { type = '' }: GrepInput, refusal: string): Promise<ToolError> {
  if (refusal.startsWith('unrecognized file type')) {
    const near = nearNames(type, await typeNames(search));
    const hint = near.length === 0 ? 'Use glob instead, e.g. "*.ts".' : `Did you mean ${near.join(' or ')}?`;
    return new ToolError(`type ${type} is none that ripgrep knows. ${hint}`);
  }
  if (refusal.startsWith('error parsing glob')) return new ToolError(`glob cannot be read: ${refusal}`);
  if (refusal.includes('PCRE2 is not available')) {
    return new ToolError('pattern needs look-around or backreferences, which this build of ripgrep does not have.');
  }
  if (refusal.includes('multiline mode')) {
    const [reason] = refusal.split('\n');
    return new ToolError(
      `pattern cannot be used: ${reason} without multiline. Set multiline: true to match over lines.`,
    );
  }
  return new ToolError(
    `pattern is no regular expression that ripgrep takes:\n${refusal}\nPut \\ before ( ) [ ] { } . * + ? | ^ $ where they are meant as they stand.`,
  );
}

async function typeNames(search: Search): Promise<string[]> {
  let list = '';
  await search.walk(['--type-list'], (chunk) => {
    list += chunk.toString('latin1');
    return 'more';
  });
  return list.split('\n').flatMap((line) => /^[^:]+/.exec(line)?.[0] ?? []);
}
