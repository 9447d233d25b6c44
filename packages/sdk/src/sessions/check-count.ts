import { RondoError } from '@rondo/protocol/values';

/** @throws RondoError `input.invalid` for what is no whole number from 0 on. Nothing given is well. */
export function checkCount(name: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 0)) return;
  throw new RondoError('input.invalid', `options.${name} takes a whole number from 0 on.`, {
    details: { option: name },
  });
}
