import { RondoError } from '@rondo/protocol/values';

/** `input.invalid` that names an option of `query()` and says what is wrong with it. */
export function invalidOption(name: string, problem: string): RondoError {
  return new RondoError('input.invalid', `options.${name} ${problem}.`, { details: { option: name } });
}
