import type { JsonObject, Notice } from '@rondo/protocol';

const status = 'reasoning_rejected';

/** What a notice says of a model that did not take its earlier reasoning back, for programs. */
export function rejectedReasoningDetails(
  model: string,
  error: { readonly code: string; readonly message: string },
): JsonObject {
  return { status, model, error: { code: error.code, message: error.message } };
}

/** The model that a notice says it of; undefined for a notice about something else. */
export function rejectedReasoningModel({ details }: Pick<Notice, 'details'>): string | undefined {
  const model = details?.['status'] === status ? details['model'] : undefined;
  return typeof model === 'string' ? model : undefined;
}
