import type { ProtocolError, SDKAssistantMessageError } from '@rondo/protocol';

const names: Readonly<Record<string, SDKAssistantMessageError>> = {
  'model.authentication_failed': 'authentication_failed',
  'model.key_missing': 'authentication_failed',
  'model.permission_denied': 'authentication_failed',
  'model.rate_limited': 'rate_limit',
  'model.overloaded': 'overloaded',
  'model.server_error': 'server_error',
  'model.request_invalid': 'invalid_request',
  'model.prompt_too_long': 'invalid_request',
  'model.not_found': 'model_not_found',
  'model.unknown': 'model_not_found',
};

/** The second seed's name for why a reply could not be had. */
export function errorName(error: ProtocolError): SDKAssistantMessageError {
  if (errorStatus(error) === 402) return 'billing_error';
  return names[error.code ?? ''] ?? 'unknown';
}

/** The HTTP status that the provider answered with, when it answered. */
export function errorStatus(error: ProtocolError): number | null {
  const data = error.data;
  if (typeof data !== 'object' || data === null || !('status' in data)) return null;
  return typeof data.status === 'number' ? data.status : null;
}

/** True when the model could not be reached or refused the request, rather than Rondo itself failing. */
export function isModelError(error: ProtocolError): boolean {
  return error.code?.startsWith('model.') ?? false;
}
