import type { JsonObject } from '@rondo/protocol';
import { status as scriptStatus, type StatusStep } from '../script.ts';

interface VendorError {
  readonly type: string;
  readonly code: string | null;
}

const byStatus: Readonly<Record<number, VendorError>> = {
  400: { type: 'invalid_request_error', code: null },
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  413: { type: 'invalid_request_error', code: null },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  500: { type: 'server_error', code: null },
  503: { type: 'server_error', code: 'server_is_overloaded' },
};

/** The body of an error answer: the script's own type where it names one, else what the vendor says to that status. */
export function errorBody(step: StatusStep): JsonObject {
  const { error, status } = step;
  const named = error !== undefined && error.type !== scriptStatus(status).error?.type;
  const usual = byStatus[status] ?? { type: status < 500 ? 'invalid_request_error' : 'server_error', code: null };
  const message = error?.message ?? '';
  const { type, code } = named ? { type: error.type, code: error.type } : usual;
  return { error: { message, type, param: null, code: code ?? codeOf(message) } };
}

/** Refusals that the vendor marks with a code of their own. */
function codeOf(message: string): string | null {
  if (/prompt is too long|exceeds the context window/.test(message)) return 'context_length_exceeded';
  if (message.startsWith('The encrypted content')) return 'invalid_encrypted_content';
  if (message.startsWith('Invalid schema for function')) return 'invalid_function_parameters';
  return null;
}
