import type { ErrorReading } from '../ai-sdk/ai-sdk-error.ts';
import { commonErrors } from '../ai-sdk/ai-sdk-error.ts';

/** Mistral writes `message` and `type` beside each other; gateways of it a `detail`; both are read as most vendors'. */
export const mistralErrors: ErrorReading = {
  parseErrorBody: commonErrors.parseErrorBody,
  errorCode({ type, message }, status) {
    if (/too large for model|prompt contains \d+ tokens|exceeds? .*(context|length)/i.test(message)) {
      return 'model.prompt_too_long';
    }
    if (type === 'invalid_model') return 'model.not_found';
    // The vendor's word for a model that has no room at the moment.
    const overloaded = /capacity|overloaded/i.test(`${type} ${message}`);
    if (status === undefined || status === 429) {
      if (overloaded) return 'model.overloaded';
      if (type.startsWith('rate_limit')) return 'model.rate_limited';
    }
    return undefined;
  },
  requestIdHeader: 'mistral-correlation-id',
};
