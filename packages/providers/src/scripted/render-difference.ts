import type { JsonValue } from '@rondo/protocol';
import type { Said } from './said-request.ts';

/** The value as a person reads it: YAML, long texts as blocks. */
export async function renderYaml(value: JsonValue): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0, blockQuote: 'literal' });
}

/** The lines that differ, with three lines around them, as `diff -u` has them. */
export async function renderDifference(recorded: JsonValue, asked: JsonValue): Promise<string> {
  const [{ createTwoFilesPatch, FILE_HEADERS_ONLY }, before, after] = await Promise.all([
    import('diff'),
    renderYaml(recorded),
    renderYaml(asked),
  ]);
  const patch = createTwoFilesPatch('recorded', 'asked', before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return patch.trimEnd();
}

const mostShown = 2_000;

/** What a message says, for the end of an error; a long one by its end. */
export async function renderSaid(said: Said): Promise<string> {
  const text = (typeof said === 'string' ? said : await renderYaml(said)).trimEnd();
  const shown = text.length > mostShown ? `…${text.slice(-mostShown)}` : text;
  return shown.replaceAll(/^/gm, '  ');
}
