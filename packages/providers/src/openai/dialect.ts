import type { ErrorCode } from '@rondo/protocol';
import type { Dialect } from '../dialect/dialect.ts';
import { createReplyReader } from './reply-reader.ts';
import { parseErrorBody } from './wire-schema.ts';

/** By the vendor's code, or its type where it gives no code. */
const codesByName: Readonly<Record<string, ErrorCode>> = {
  invalid_request_error: 'model.request_invalid',
  invalid_encrypted_content: 'model.request_invalid',
  invalid_api_key: 'model.authentication_failed',
  authentication_error: 'model.authentication_failed',
  permission_error: 'model.permission_denied',
  not_found_error: 'model.not_found',
  model_not_found: 'model.not_found',
  rate_limit_exceeded: 'model.rate_limited',
  rate_limit_error: 'model.rate_limited',
  slow_down: 'model.overloaded',
  server_is_overloaded: 'model.overloaded',
  overloaded_error: 'model.overloaded',
  server_error: 'model.server_error',
  api_error: 'model.server_error',
  timeout_error: 'model.timeout',
  invalid_prompt: 'model.refused',
  bio_policy: 'model.refused',
  cyber_policy: 'model.refused',
  misalignment_policy_violation: 'model.refused',
  image_content_policy_violation: 'model.refused',
  // Of Azure, about the prompt.
  content_filter: 'model.refused',
};

/** Codes that say more than any status they come with. */
const tellingNames: Readonly<Record<string, ErrorCode>> = {
  // Comes as a 429, but no waiting helps: the account is out of credit.
  insufficient_quota: 'model.permission_denied',
  billing_hard_limit_reached: 'model.permission_denied',
  billing_not_active: 'model.permission_denied',
  context_length_exceeded: 'model.prompt_too_long',
  request_too_large: 'model.prompt_too_long',
  string_above_max_length: 'model.prompt_too_long',
};

/** Statuses that say more than most codes. */
const tellingStatuses: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 409, 413, 429, 504, 529]);

export const openaiDialect: Dialect = {
  createReader: createReplyReader,
  parseErrorBody,
  errorCode({ type }, status) {
    if (Object.hasOwn(tellingNames, type)) return tellingNames[type];
    if (status !== undefined && tellingStatuses.has(status)) return undefined;
    if (Object.hasOwn(codesByName, type)) return codesByName[type];
    return /^(invalid|unsupported|empty|failed_to_download|image)_/.test(type) ? 'model.request_invalid' : undefined;
  },
  requestIdHeader: 'x-request-id',
};
