import type { ErrorCode } from '@rondo/protocol';
import type { Dialect } from '../dialect/dialect.ts';
import { createReplyReader } from './reply-reader.ts';
import { parseErrorBody } from './wire-schema.ts';

const codesByType: Readonly<Record<string, ErrorCode>> = {
  invalid_request_error: 'model.request_invalid',
  authentication_error: 'model.authentication_failed',
  billing_error: 'model.permission_denied',
  permission_error: 'model.permission_denied',
  not_found_error: 'model.not_found',
  conflict_error: 'model.server_error',
  request_too_large: 'model.prompt_too_long',
  rate_limit_error: 'model.rate_limited',
  api_error: 'model.server_error',
  timeout_error: 'model.timeout',
  overloaded_error: 'model.overloaded',
};

/** Statuses that say more than the type in the body. */
const tellingStatuses: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 409, 413, 429, 504, 529]);

/** An account without credit, or at a limit of its own, is told so by a 400: no other request would help. */
const usedUp = /credit balance is too low|specified (workspace )?API usage limits/i;

export const anthropicDialect: Dialect = {
  createReader: createReplyReader,
  parseErrorBody,
  errorCode({ type, message }, status) {
    if (type === 'invalid_request_error' && usedUp.test(message)) return 'model.permission_denied';
    if (status !== undefined && tellingStatuses.has(status)) return undefined;
    return Object.hasOwn(codesByType, type) ? codesByType[type] : undefined;
  },
  requestIdHeader: 'request-id',
};
