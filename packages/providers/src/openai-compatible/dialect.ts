import type { ErrorCode } from '@rondo/protocol';
import type { Dialect } from '../dialect/dialect.ts';
import { createReplyReader } from './reply-reader.ts';
import type { ServerQuirks } from './server-quirks.ts';
import { parseErrorBody } from './wire-schema.ts';

/** By the code or type of the error, as this server or that one words it. Numbers are statuses told in the body. */
const codesByType: Readonly<Record<string, ErrorCode>> = {
  context_length_exceeded: 'model.prompt_too_long',
  exceed_context_size_error: 'model.prompt_too_long',
  insufficient_quota: 'model.permission_denied',
  insufficient_balance: 'model.permission_denied',
  invalid_api_key: 'model.authentication_failed',
  authentication_error: 'model.authentication_failed',
  model_not_found: 'model.not_found',
  not_found_error: 'model.not_found',
  NotFoundError: 'model.not_found',
  permission_error: 'model.permission_denied',
  rate_limit_exceeded: 'model.rate_limited',
  rate_limit_error: 'model.rate_limited',
  content_filter: 'model.refused',
  moderation: 'model.refused',
  // The model wrote a call that its server could not read: another try may go well.
  tool_use_failed: 'model.server_error',
  capacity_exceeded: 'model.overloaded',
  invalid_request_error: 'model.request_invalid',
  BadRequestError: 'model.request_invalid',
  not_supported_error: 'model.request_invalid',
  unavailable_error: 'model.overloaded',
  overloaded_error: 'model.overloaded',
  engine_overloaded_error: 'model.overloaded',
  insufficient_system_resource: 'model.overloaded',
  timeout_error: 'model.timeout',
  request_too_large: 'model.prompt_too_long',
  '400': 'model.request_invalid',
  '401': 'model.authentication_failed',
  '402': 'model.permission_denied',
  '403': 'model.permission_denied',
  '404': 'model.not_found',
  '408': 'model.timeout',
  '413': 'model.prompt_too_long',
  '429': 'model.rate_limited',
  '503': 'model.overloaded',
  '504': 'model.timeout',
  '529': 'model.overloaded',
};

/** Types that say more than the status they come with. */
const tellingTypes: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'insufficient_quota',
  'insufficient_balance',
  'unavailable_error',
  'moderation',
  'capacity_exceeded',
]);

/** The wire of one server. */
export function createCompatibleDialect(quirks: ServerQuirks): Dialect {
  return {
    createReader: (options) => createReplyReader(options, quirks),
    parseErrorBody,
    errorCode({ type, message }, status) {
      // No waiting that anybody would do helps.
      if (/free-models-per-day/i.test(message)) return 'model.permission_denied';
      if (status !== undefined && status !== 400 && !tellingTypes.has(type)) return undefined;
      return Object.hasOwn(codesByType, type) ? codesByType[type] : undefined;
    },
    requestIdHeader: 'x-request-id',
  };
}
