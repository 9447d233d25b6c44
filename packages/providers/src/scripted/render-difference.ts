import type { JsonValue } from '@rondo/protocol';

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
