import { RondoError } from '@rondo/protocol/values';

/** The caller stopped the operation. Also recognised by its code, `operation.aborted`, across copies of this package. */
export class AbortError extends RondoError<'operation.aborted'> {
  constructor(message = 'the operation was aborted', options: { readonly cause?: unknown } = {}) {
    super('operation.aborted', message, options);
    this.name = 'AbortError';
  }
}
